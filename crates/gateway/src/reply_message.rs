//! The answer to a request as it is sent: in one piece, as a list that is written while it is sent, or with
//! what nobody holds from its file.

use crate::http::body::ResponseBody;
use crate::http::event_body::StreamEvent;
use crate::long_reply::{LongReply, LongReplyLine};
use crate::serve::ListPageAnswer;
use crate::written_event::event;

/// A whole message.
#[derive(Debug)]
pub(crate) enum ReplyMessage {
    Written(Vec<u8>),
    Page(ListPageAnswer),
    Long(Box<LongReply>),
}

/// The same for a connection on which each message is a line.
#[derive(Debug)]
pub(crate) enum LineMessage {
    Written(Vec<u8>),
    Long(Box<LongReplyLine>),
}

impl From<Vec<u8>> for LineMessage {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Written(bytes)
    }
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

impl From<LongReply> for ReplyMessage {
    fn from(long: LongReply) -> Self {
        Self::Long(Box::new(long))
    }
}

impl ReplyMessage {
    /// For whoever sends it in one piece. Who does that takes no long ones.
    pub(crate) fn whole(self) -> Vec<u8> {
        match self {
            Self::Written(bytes) => bytes,
            Self::Page(page) => page.whole(),
            Self::Long(long) => long.refused("the result is too long to be sent in one piece"),
        }
    }

    /// For whoever sends as much as the client takes.
    pub(crate) fn body(self) -> ResponseBody {
        match self {
            Self::Page(page) if !page.is_short() => ResponseBody::page(page),
            Self::Long(long) => ResponseBody::Long(Box::new(long.document())),
            message => ResponseBody::Whole(message.whole().into()),
        }
    }

    pub(crate) fn line(self) -> LineMessage {
        match self {
            Self::Long(long) => LineMessage::Long(Box::new(long.line())),
            message => LineMessage::Written(message.whole()),
        }
    }

    pub(crate) fn event(self, id: Option<&str>) -> StreamEvent {
        match self {
            Self::Long(long) => StreamEvent::Long(long.event(id).into()),
            message => StreamEvent::Short(event(&message.whole(), id)),
        }
    }
}
