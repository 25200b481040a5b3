//! The ways out of this process: the standard streams and the terminal itself. No other file of
//! this crate touches them, which `cargo xtask tidy` holds.
//!
//! A terminal gets [`PrintableText`] text and nothing else. A program gets the bytes as they are.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use crate::printable_text::PrintableText;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Data,
    /// Standard error.
    Remarks,
}

impl OutputStream {
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Data => io::stdout().is_terminal(),
            Self::Remarks => io::stderr().is_terminal(),
        }
    }

    /// Its lines and columns, where it is a terminal that knows them.
    pub(crate) fn size(self) -> Option<(usize, usize)> {
        let size = match self {
            Self::Data => terminal_size::terminal_size_of(io::stdout()),
            Self::Remarks => terminal_size::terminal_size_of(io::stderr()),
        };
        let (columns, lines) = size?;
        (lines.0 > 0 && columns.0 > 0).then(|| (usize::from(lines.0), usize::from(columns.0)))
    }

    pub fn put(self, text: &PrintableText) -> io::Result<()> {
        self.put_exact(text.as_str())
    }

    /// What a command printed that the person runs through us: with nothing hidden in it where it is seen, and
    /// as it is for a program.
    pub fn pass(self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal() {
            return self.put(&PrintableText::lines(&String::from_utf8_lossy(bytes)));
        }
        match self {
            Self::Data => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            }
            Self::Remarks => io::stderr().lock().write_all(bytes),
        }
    }

    /// For what is known to be printable, or to go to a program.
    pub(crate) fn put_exact(self, text: &str) -> io::Result<()> {
        match self {
            Self::Data => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
            }
            Self::Remarks => io::stderr().lock().write_all(text.as_bytes()),
        }
    }
}

/// The terminal of this process, wherever its standard streams go.
#[derive(Debug)]
pub struct OwnTerminal(File);

impl OwnTerminal {
    pub fn open() -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).open("/dev/tty").map(Self)
    }

    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    pub fn put(&mut self, text: &PrintableText) -> io::Result<()> {
        self.0.write_all(text.as_str().as_bytes())
    }
}

impl Read for OwnTerminal {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl AsFd for OwnTerminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Standard output for a client of the protocol, with no buffer of the library before it: every
/// byte as it is. Somebody who starts it by hand at a terminal sees the same JSON, escaped.
#[derive(Debug)]
pub struct ProtocolOutput {
    file: File,
    is_terminal: bool,
}

impl ProtocolOutput {
    pub fn open() -> io::Result<Self> {
        let file = io::stdout().as_fd().try_clone_to_owned()?.into();
        Ok(Self { file, is_terminal: OutputStream::Data.is_terminal() })
    }
}

impl Write for ProtocolOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.file.write(bytes);
        }
        let shown = PrintableText::json(&String::from_utf8_lossy(bytes));
        self.file.write_all(shown.as_str().as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The same for a client that is written to while other things happen.
#[derive(Debug)]
pub enum ForClientAsync {
    Program(tokio::io::Stdout),
    Terminal(ProtocolOutput),
}

impl ForClientAsync {
    pub fn open() -> io::Result<Self> {
        Ok(match OutputStream::Data.is_terminal() {
            true => Self::Terminal(ProtocolOutput::open()?),
            false => Self::Program(tokio::io::stdout()),
        })
    }
}

impl AsyncWrite for ForClientAsync {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Program(stdout) => Pin::new(stdout).poll_write(context, bytes),
            Self::Terminal(terminal) => Poll::Ready(terminal.write(bytes)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Program(stdout) => Pin::new(stdout).poll_flush(context),
            Self::Terminal(terminal) => Poll::Ready(terminal.flush()),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Program(stdout) => Pin::new(stdout).poll_shutdown(context),
            Self::Terminal(terminal) => Poll::Ready(terminal.flush()),
        }
    }
}
