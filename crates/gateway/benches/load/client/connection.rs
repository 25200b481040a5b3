//! One connection of HTTP/1.1 that is kept: a request goes out, its answer comes in.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Failure;

/// As much as is read at once.
const CHUNK: usize = 64 * 1024;

pub(crate) struct Connection {
    stream: TcpStream,
    /// What came and was not yet looked at.
    unread: Vec<u8>,
    body: Vec<u8>,
}

/// What stands before a body.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    length: Option<usize>,
    in_chunks: bool,
}

impl Head {
    /// Only this status will do.
    pub(crate) fn expect(self, status: u16) -> Result<Self, Failure> {
        match self.status == status {
            true => Ok(self),
            false => Err(format!("status {} instead of {status}", self.status).into()),
        }
    }
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, unread: Vec::with_capacity(CHUNK), body: Vec::new() })
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<(), Failure> {
        Ok(self.stream.write_all(request).await?)
    }

    /// Reads one byte, if there is one.
    pub(crate) async fn sip(&mut self) -> Result<(), Failure> {
        match self.stream.read(&mut [0]).await? {
            0 => Err("the connection was closed".into()),
            _ => Ok(()),
        }
    }

    /// Sends a request and reads its answer to the end.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Head, Failure> {
        self.send(request).await?;
        self.body.clear();
        let end = loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                break end;
            }
            self.read_more().await?;
        };
        let head = read_head(&self.unread[..end])?;
        self.unread.drain(..end + 4);
        match (head.length, head.in_chunks) {
            (Some(length), false) => {
                while self.unread.len() < length {
                    self.read_more().await?;
                }
                // At once: a long page byte by byte would be what is measured.
                self.body.extend_from_slice(&self.unread[..length]);
                self.unread.drain(..length);
            }
            (None, true) => while self.read_chunk().await? {},
            // Nothing follows 202 and 204.
            _ => {}
        }
        Ok(head)
    }

    /// Reads a chunk; whether more are to come.
    async fn read_chunk(&mut self) -> Result<bool, Failure> {
        let line = loop {
            if let Some(end) = find(&self.unread, b"\r\n") {
                break end;
            }
            self.read_more().await?;
        };
        let length = usize::from_str_radix(str::from_utf8(&self.unread[..line])?, 16)?;
        while self.unread.len() < line + length + 4 {
            self.read_more().await?;
        }
        self.body.extend_from_slice(&self.unread[line + 2..line + 2 + length]);
        self.unread.drain(..line + length + 4);
        Ok(length > 0)
    }

    async fn read_more(&mut self) -> Result<(), Failure> {
        self.unread.reserve(CHUNK);
        match self.stream.read_buf(&mut self.unread).await? {
            0 => Err("the connection was closed".into()),
            _ => Ok(()),
        }
    }
}

fn read_head(bytes: &[u8]) -> Result<Head, Failure> {
    let text = str::from_utf8(bytes)?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let mut head = Head { status: status.parse()?, ..Head::default() };
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        if name.eq_ignore_ascii_case("content-length") {
            head.length = Some(value.parse()?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            head.in_chunks = true;
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            head.session = Some(value.to_owned());
        }
    }
    Ok(head)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
