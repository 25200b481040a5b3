//! A connection over which both sides send whenever they like: messages out through a writer, in
//! through a reader that feeds the router.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::channel::Outgoing;
use crate::failure::RequestError;
use crate::reply::Reply;
use crate::router::Router;

/// How long a broken connection may take to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where messages go out. Whole messages, one after the other.
#[async_trait]
pub(crate) trait Writer: Send + Sync {
    async fn write(&self, message: &[u8]) -> Result<(), RequestError>;
}

/// Sends a request and waits until the reader brings its answer.
pub(crate) async fn call(
    router: &Arc<Router>,
    writer: &dyn Writer,
    id: u64,
    message: Outgoing,
) -> Result<Reply, RequestError> {
    let answer = router.pending.register(id)?;
    if let Err(error) = writer.write(&message.bytes).await {
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
