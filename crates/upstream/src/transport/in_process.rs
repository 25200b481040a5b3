//! A server in our own process, on an in-memory pipe: the same path as any other.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{DuplexStream, WriteHalf, split};
use tokio::task::JoinHandle;

use super::duplex::{self, MessageWriter as _};
use super::lines::{LineWriter, read_lines};
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::RequestError;
use crate::reply::ServerReply;
use crate::router::MessageRouter;

/// Our end of the pipe.
pub(crate) struct InProcessTransport {
    writer: LineWriter<WriteHalf<DuplexStream>>,
    router: Arc<MessageRouter>,
    reading: JoinHandle<()>,
}

impl InProcessTransport {
    pub(crate) fn new(pipe: DuplexStream, router: Arc<MessageRouter>) -> Arc<Self> {
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
impl Drop for InProcessTransport {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

#[async_trait]
impl ServerChannel for InProcessTransport {
    async fn call(&self, id: u64, message: OutgoingMessage) -> Result<ServerReply, RequestError> {
        duplex::call(&self.router, &self.writer, id, message).await
    }

    async fn send(&self, message: OutgoingMessage) -> Result<(), RequestError> {
        self.writer.write(&message).await
    }

    fn drop_cancels(&self) -> bool {
        false
    }

    async fn close(&self, _: Duration) {
        self.writer.close().await;
    }
}
