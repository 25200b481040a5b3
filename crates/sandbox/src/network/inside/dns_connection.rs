//! A connection that asks DNS: questions with their length before them, one after another.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, BorrowedFd};

/// A question is shorter; what is longer is none.
const LONGEST: usize = 2048;

#[derive(Debug)]
pub(super) struct DnsConnection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl DnsConnection {
    pub(super) fn new(stream: TcpStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Self { stream, read: Vec::new() })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Reads what is there; `false` if that was the end.
    pub(super) fn read(&mut self) -> bool {
        let mut bytes = [0; LONGEST];
        match self.stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(length) => {
                self.read.extend(bytes.iter().take(length));
                self.read.len() <= 2 * LONGEST
            }
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }

    /// The next question that is there whole.
    pub(super) fn next_query(&mut self) -> Option<Vec<u8>> {
        let [a, b, rest @ ..] = self.read.as_slice() else { return None };
        let length = usize::from(u16::from_be_bytes([*a, *b]));
        let query = rest.get(..length)?.to_vec();
        self.read.drain(..length + 2);
        Some(query)
    }

    /// `false` if the asker does not take it: nobody is waited for.
    pub(super) fn write(&mut self, answer: &[u8]) -> bool {
        let Ok(length) = u16::try_from(answer.len()) else { return false };
        let framed = [&length.to_be_bytes(), answer].concat();
        self.stream.write_all(&framed).is_ok()
    }
}
