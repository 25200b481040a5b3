//! A reader that tells when the other side is gone.
//!
//! The SDK waits some seconds for calls under way before it stops them, which is right for a peer
//! that only stopped writing. Ours is in this process and gone altogether.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(crate) struct Ending<R> {
    pub(crate) reader: R,
    /// Cancelled at the end.
    pub(crate) over: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for Ending<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.remaining();
        let read = Pin::new(&mut self.reader).poll_read(context, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => before > 0 && buffer.remaining() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over {
            self.over.cancel();
        }
        read
    }
}

#[cfg(test)]
mod tests;
