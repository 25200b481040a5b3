//! How a scripted client reaches its server: messages out, messages in, whatever lies between.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::web::WebLink;

/// A connection. What it started ends when it is dropped.
#[derive(Debug)]
pub struct Link {
    outgoing: Option<mpsc::UnboundedSender<Value>>,
    incoming: mpsc::UnboundedReceiver<Value>,
    /// Writes until there is nothing more to write, then leaves as its transport wants it.
    writing: JoinHandle<()>,
    _reading: JoinSet<()>,
}

impl Link {
    /// One message a line, as with a process.
    pub fn over_lines(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (outgoing, mut messages) = mpsc::unbounded_channel::<Value>();
        let (heard, incoming) = mpsc::unbounded_channel();
        let mut reading = JoinSet::new();
        reading.spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message = serde_json::from_str(&line).unwrap();
                let _ = heard.send(message);
            }
        });
        let writing = tokio::spawn(async move {
            let mut writer = writer;
            while let Some(message) = messages.recv().await {
                let _ = writer.write_all(format!("{message}\n").as_bytes()).await;
                let _ = writer.flush().await;
            }
            let _ = writer.shutdown().await;
        });
        Self { outgoing: Some(outgoing), incoming, writing, _reading: reading }
    }

    /// Streamable HTTP, with the headers of the era that each message is of; a session that was opened
    /// is ended with `DELETE`.
    pub fn over_http(address: SocketAddr, path: &str, token: Option<&str>) -> Self {
        let (outgoing, messages) = mpsc::unbounded_channel();
        let (heard, incoming) = mpsc::unbounded_channel();
        let web = WebLink::new(address, path, token, heard);
        let writing = tokio::spawn(web.run(messages));
        Self { outgoing: Some(outgoing), incoming, writing, _reading: JoinSet::new() }
    }

    pub(super) fn send(&self, message: Value) {
        self.outgoing.as_ref().unwrap().send(message).unwrap();
    }

    /// The next message; `None` where none comes any more.
    pub(super) async fn next(&mut self) -> Option<Value> {
        self.incoming.recv().await
    }

    /// Leaves, and waits until that is done.
    pub(super) async fn end(mut self) {
        self.outgoing = None;
        let _ = (&mut self.writing).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.writing.abort();
    }
}
