//! A connection over which both sides send whenever they like: messages out through a writer, in
//! through a reader that feeds the router.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::channel::OutgoingMessage;
use crate::failure::RequestError;
use crate::reply::ServerReply;
use crate::router::MessageRouter;

/// How long a broken connection may take to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where messages go out. Whole messages, one after the other.
#[async_trait]
pub(crate) trait MessageWriter: Send + Sync {
    async fn write(&self, message: &OutgoingMessage) -> Result<(), RequestError>;
}

/// Sends a request and waits until the reader brings its answer.
pub(crate) async fn call(
    router: &Arc<MessageRouter>,
    writer: &dyn MessageWriter,
    id: u64,
    message: OutgoingMessage,
) -> Result<ServerReply, RequestError> {
    let answer = router.pending.register(id)?;
    if let Err(error) = writer.write(&message).await {
        if matches!(error, RequestError::Withheld(_)) {
            router.pending.forget(id);
            return Err(error);
        }
        // The reader knows better why the other side is gone, and learns it about now.
        let reason = tokio::time::timeout(LAST_WORDS, answer).await;
        router.pending.forget(id);
        return match reason {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) | Err(_) => Err(error),
        };
    }
    match answer.await {
        Ok(reply) => reply,
        Err(_) => Err(RequestError::Closed(router.pending.closed().unwrap_or_default())),
    }
}
