//! The answer to a request as it is sent: in one piece, or as a list that is written while it is sent.

use crate::http::body::ResponseBody;
use crate::serve::ListPageAnswer;

/// A whole message.
#[derive(Debug)]
pub(crate) enum ReplyMessage {
    Written(Vec<u8>),
    Page(ListPageAnswer),
}

impl From<Vec<u8>> for ReplyMessage {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Written(bytes)
    }
}

impl From<ListPageAnswer> for ReplyMessage {
    fn from(page: ListPageAnswer) -> Self {
        Self::Page(page)
    }
}

impl ReplyMessage {
    /// For whoever sends it in one piece.
    pub(crate) fn whole(self) -> Vec<u8> {
        match self {
            Self::Written(bytes) => bytes,
            Self::Page(page) => page.whole(),
        }
    }

    /// For whoever sends as much as the client takes.
    pub(crate) fn body(self) -> ResponseBody {
        match self {
            Self::Page(page) if !page.is_short() => ResponseBody::page(page),
            message => ResponseBody::Whole(message.whole().into()),
        }
    }
}
