//! A folder, and a session with the server that serves it, line by line.
//!
//! It reads the protocol as it is written, so that nothing is lost to a client's own models.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf,
};
use tokio::time::timeout;
use toolgate_servers::{Bounds, PrivatePlaces, Repo, repo};

/// Long enough for any machine; only a test that is about to fail waits for it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(50);

/// A folder `root`, with room beside it for what lies outside.
pub(crate) struct Ground(TempDir);

impl Ground {
    pub(crate) fn new() -> Self {
        let ground = Self(TempDir::new().unwrap());
        fs::create_dir(ground.root()).unwrap();
        ground
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let ground = Self::new();
        for (path, text) in files {
            ground.write(path, text);
        }
        ground
    }

    /// The folder that is served.
    pub(crate) fn root(&self) -> PathBuf {
        self.beside("root")
    }

    /// Something next to it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        std::os::unix::fs::symlink(target, self.root().join(path)).unwrap();
        self
    }

    pub(crate) async fn session(&self) -> Session {
        self.session_beside(PrivatePlaces::default()).await
    }

    /// With private things elsewhere on the machine.
    pub(crate) async fn session_beside(&self, private: PrivatePlaces) -> Session {
        Session::over(repo(self.root(), private)()).await
    }

    pub(crate) async fn bounded(&self, bounds: Bounds) -> Session {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(
            Repo::with_bounds(self.root(), PrivatePlaces::default(), bounds).serve(theirs),
        );
        Session::over(ours).await
    }
}

pub(crate) struct Session {
    reader: BufReader<ReadHalf<Box<dyn Stream>>>,
    writer: WriteHalf<Box<dyn Stream>>,
    id: u64,
}

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Session {
    pub(crate) async fn over(stream: impl Stream + 'static) -> Self {
        let (reader, writer) = tokio::io::split(Box::new(stream) as Box<dyn Stream>);
        let mut session = Self { reader: BufReader::new(reader), writer, id: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        session.request("initialize", hello).await;
        session.send(json!({ "method": "notifications/initialized" })).await;
        session
    }

    pub(crate) async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Asks without waiting; gives the id.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        self.send(json!({ "id": self.id, "method": method, "params": params })).await;
        self.id
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, self.reader.read_line(&mut line)).await;
            assert_ne!(read.expect("an answer in time").unwrap(), 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }

    pub(crate) async fn tools(&mut self) -> Vec<Value> {
        let result = self.request("tools/list", json!({})).await;
        result["tools"].as_array().unwrap().clone()
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The structured result of a call that works.
    pub(crate) async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    }

    /// What a call that does not work says.
    pub(crate) async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn read(&mut self, path: &str) -> Value {
        self.done("read_file", json!({ "path": path })).await
    }

    pub(crate) async fn read_refused(&mut self, path: &str) -> String {
        self.refused("read_file", json!({ "path": path })).await
    }
}
