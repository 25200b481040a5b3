//! A client that takes nothing of what is sent to it is not waited for forever: it keeps a place that
//! others could have.
//!
//! Whether it says anything is another matter; a client may be silent for as long as it likes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::time::{Sleep, sleep};

/// So long nothing may be taken of what is waiting to be sent.
pub(super) const LONGEST_STALL: Duration = Duration::from_secs(120);

/// A connection whose client has to take what it asked for.
pub(super) struct ImpatientConnection<T> {
    inner: T,
    /// Since something waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<T> ImpatientConnection<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, stalled: None }
    }

    pub(super) fn get_ref(&self) -> &T {
        &self.inner
    }

    fn unless_stalled<O>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<O>>,
    ) -> Poll<io::Result<O>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(LONGEST_STALL)));
        match stalled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: Read + Unpin> Read for ImpatientConnection<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_read(cx, buffer)
    }
}

impl<T: Write + Unpin> Write for ImpatientConnection<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write(cx, bytes);
        this.unless_stalled(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.inner).poll_flush(cx);
        match this.stalled {
            // A flush that has nothing to wait for says nothing about what could not be written.
            Some(_) if flushed.is_ready() => flushed,
            _ => this.unless_stalled(cx, flushed),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write_vectored(cx, parts);
        this.unless_stalled(cx, written)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;

    async fn write(to: &mut ImpatientConnection<TokioIo<DuplexStream>>) -> io::Result<usize> {
        poll_fn(|cx| Pin::new(&mut *to).poll_write(cx, &[0; 64])).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_for_too_long_is_given_up() {
        let (ours, _theirs) = duplex(64);
        let mut connection = ImpatientConnection::new(TokioIo::new(ours));
        assert_eq!(write(&mut connection).await.unwrap(), 64);
        let began = tokio::time::Instant::now();
        let error = write(&mut connection).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), LONGEST_STALL);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_takes_a_little_in_time_is_waited_for_again() {
        let (ours, mut theirs) = duplex(64);
        let mut connection = ImpatientConnection::new(TokioIo::new(ours));
        assert_eq!(write(&mut connection).await.unwrap(), 64);
        let sipping = tokio::spawn(async move {
            for _ in 0..3 {
                sleep(LONGEST_STALL / 2).await;
                theirs.read_u8().await.unwrap();
            }
            theirs
        });
        for _ in 0..3 {
            assert_eq!(write(&mut connection).await.unwrap(), 1);
        }
        drop(sipping.await.unwrap());
    }
}
