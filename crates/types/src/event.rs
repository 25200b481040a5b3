//! What a server says of its own accord, for whoever listens.

use serde_json::value::RawValue;

use crate::{Secret, ServerId};

/// The lists a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListKind {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl ListKind {
    pub const ALL: [Self; 4] =
        [Self::Tools, Self::Resources, Self::ResourceTemplates, Self::Prompts];
}

/// Something a server said, or that happened to it.
#[derive(Debug)]
pub enum ServerEvent {
    ListChanged(ListKind),
    ResourceUpdated {
        uri: String,
    },
    /// A log message, raw.
    Log(Box<RawValue>),
    /// A notification of another kind, raw.
    Notified {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// Something that is no message, where only messages may be.
    Garbage {
        bytes: usize,
    },
    /// The connection ended; the reason in one sentence.
    Closed {
        reason: String,
    },
}

/// Someone who listens. Called on the path of messages: it must not wait.
pub trait EventSink: Send + Sync {
    fn event(&self, server: &ServerId, event: ServerEvent);

    /// The server said something before the two sides agreed: it is there, and answers. Called where
    /// things happen: it must not wait.
    fn answers_handshake(&self) {}

    /// A token that the server is shown from now on: it may come back in anything that the server says.
    fn shown_token(&self, _token: &Secret) {}
}
