//! A server in our own process, on an in-memory pipe: the same path as any other.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{DuplexStream, WriteHalf, split};
use tokio::task::JoinHandle;

use super::duplex::{self, Writer as _};
use super::lines::{LineWriter, read_lines};
use crate::channel::{Channel, Outgoing};
use crate::failure::RequestError;
use crate::reply::Reply;
use crate::router::Router;

/// Our end of the pipe.
pub(crate) struct InProcess {
    writer: LineWriter<WriteHalf<DuplexStream>>,
    router: Arc<Router>,
    reading: JoinHandle<()>,
}

impl InProcess {
    pub(crate) fn new(pipe: DuplexStream, router: Arc<Router>) -> Arc<Self> {
        let (reader, writer) = split(pipe);
        let reading = {
            let router = Arc::clone(&router);
            tokio::spawn(async move {
                let ended = read_lines(reader, Arc::clone(&router), || {}).await;
                router.close(&ended);
            })
        };
        Arc::new(Self { writer: LineWriter::new(writer), router, reading })
    }
}

/// Each half keeps the pipe open, so both must go for the server to see that it is over.
impl Drop for InProcess {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[async_trait]
impl Channel for InProcess {
    async fn call(&self, id: u64, message: Outgoing) -> Result<Reply, RequestError> {
        duplex::call(&self.router, &self.writer, id, message).await
    }

    async fn send(&self, message: Outgoing) -> Result<(), RequestError> {
        self.writer.write(&message.bytes).await
    }

    fn drop_cancels(&self) -> bool {
        false
    }

    async fn close(&self, _: Duration) {
        self.writer.close().await;
    }
}
