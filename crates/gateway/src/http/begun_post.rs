//! What became of a message that was read.
//!
//! Nothing of the message is in it: while a request is carried out, nobody has room for what it was read from,
//! and the bytes that it came in can take the next one.

use std::pin::Pin;
use std::sync::Arc;

use http::Response;

use super::ResponseBody;
use crate::refusal::RequestRefusal;
use crate::session::ClientSession;
use crate::work::RequestWork;

/// A response to come that is not the answer to one request alone.
pub(crate) type LaterResponse =
    Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, RequestRefusal>> + Send>>;

/// Such a message.
pub(crate) enum BegunPost {
    Answered(Response<ResponseBody>),
    /// A request that stands for itself, under way.
    Modern(RequestWork),
    /// A request within a session, under way.
    Legacy(Arc<ClientSession>, RequestWork),
    /// Boxed, since few are: a batch, or a stream of news.
    Later(LaterResponse),
}
