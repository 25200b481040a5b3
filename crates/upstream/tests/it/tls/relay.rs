//! A proxy for `CONNECT` that keeps what it hears.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// It ends when it is dropped.
pub(crate) struct Relay {
    port: u16,
    heard: Arc<Heard>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Heard {
    heads: Mutex<Vec<String>>,
    /// What clients sent through it.
    passed: Mutex<Vec<u8>>,
}

impl Relay {
    pub(crate) async fn willing() -> Self {
        Self::answering("200 OK").await
    }

    pub(crate) async fn refusing(status: &'static str) -> Self {
        Self::answering(status).await
    }

    async fn answering(status: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::<Heard>::default();
        let keep = Arc::clone(&heard);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&keep).relay(stream, status));
            }
        });
        Self { port, heard, accepting }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    /// The requests to the proxy itself, each with its headers.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heard.heads.lock().unwrap().clone()
    }

    /// All that clients sent through it, as text.
    pub(crate) fn passed(&self) -> String {
        String::from_utf8_lossy(&self.heard.passed.lock().unwrap()).into_owned()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Heard {
    async fn relay(self: Arc<Self>, mut client: TcpStream, status: &'static str) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = client.read_u8().await else { return };
            head.push(byte);
        }
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1).unwrap().to_owned();
        self.heads.lock().unwrap().push(head);
        client.write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).await.unwrap();
        if !status.starts_with("200") {
            return;
        }
        let server = TcpStream::connect(target).await.unwrap();
        let (mut from_server, mut to_server) = server.into_split();
        let (mut from_client, mut to_client) = client.into_split();
        tokio::spawn(async move {
            let _ = copy(&mut from_server, &mut to_client).await;
        });
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = from_client.read(&mut buffer).await {
            self.passed.lock().unwrap().extend_from_slice(&buffer[..read]);
            if to_server.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    }
}
