//! A connection that came as a descriptor. Whoever passed it may still have it, so it is never read or
//! written in a way that could wait: whether a socket waits is a setting of the socket, and theirs too.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use nix::errno::Errno;
use nix::sys::socket::{self, MsgFlags, SockType, getsockopt, sockopt};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(super) struct PassedSocket(AsyncFd<OwnedFd>);

impl PassedSocket {
    /// Refuses what is no socket with a stream in it.
    #[allow(unsafe_code, reason = "the runtime watches a descriptor by its number")]
    pub(super) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        if getsockopt(&descriptor, sockopt::SockType)? != SockType::Stream {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: it owns its descriptor, which stays the same and open for as long as it is watched.
        Ok(Self(unsafe { AsyncFd::register(descriptor)? }))
    }
}

impl AsyncRead for PassedSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let flags = MsgFlags::MSG_DONTWAIT;
            let room = buffer.initialize_unfilled();
            match ready.try_io(|fd| Ok(socket::recv(fd.as_raw_fd(), room, flags)?)) {
                Ok(Ok(read)) => {
                    buffer.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_wait) => {}
            }
        }
    }
}

impl AsyncWrite for PassedSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
            match ready.try_io(|fd| Ok(socket::send(fd.as_raw_fd(), bytes, flags)?)) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(sent) => return Poll::Ready(sent),
                Err(_would_wait) => {}
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = match socket::shutdown(self.0.as_raw_fd(), socket::Shutdown::Write) {
            // The other end is gone already.
            Err(Errno::ENOTCONN) => Ok(()),
            done => done.map_err(io::Error::from),
        };
        Poll::Ready(done)
    }
}
