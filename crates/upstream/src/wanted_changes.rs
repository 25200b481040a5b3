//! What a server is asked to tell of its own accord: which changes, and how much of what it does.
//!
//! What it tells goes to the event sink like everything else that nobody asked for. Listening again
//! after an end is up to others.

use toolgate_types::LogLevel;
use toolgate_wire::{Era, ObjectSplice, SpliceValue, method};

use crate::connection::{NOTHING_MIRRORED, SentRequest, UpstreamConnection};
use crate::failure::RequestError;
use crate::patience::RequestPatience;

/// The changes that somebody wants to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedChanges {
    pub tools: bool,
    pub resources: bool,
    pub prompts: bool,
    /// Resources whose own changes are told.
    pub uris: Vec<String>,
}

impl UpstreamConnection {
    /// Listens for changes until the server ends it; only modern servers are listened to. Dropping
    /// the future ends it too.
    ///
    /// The server must acknowledge within the time of a request; after that there is no limit.
    pub async fn listen(&self, wanted: &WantedChanges) -> Result<(), RequestError> {
        if self.handshake().era() == Era::Legacy {
            let why = "only modern servers are listened to".to_owned();
            return Err(RequestError::Unsendable(why));
        }
        let broken = |error: serde_json::Error| RequestError::Unsendable(error.to_string());
        let mut params = ObjectSplice::new();
        let filter = wanted.filter().map_err(broken)?;
        params.set("notifications", SpliceValue::Object(Box::new(filter)));
        let sent = SentRequest {
            method: method::SUBSCRIPTIONS_LISTEN,
            params: &params,
            patience: RequestPatience::UntilAcknowledged(self.request_timeout()),
            annotated: &NOTHING_MIRRORED,
            called: None,
            attendant: None,
            pending: None,
        };
        self.reply(sent, None).await?.into_result().map(drop)
    }

    /// Tells a server of the older era how much to say. A modern one is told with each operation.
    pub async fn set_log_level(&self, level: LogLevel) -> Result<(), RequestError> {
        if self.handshake().era() == Era::Modern {
            return Ok(());
        }
        let mut params = ObjectSplice::new();
        params.set("level", SpliceValue::text(level.as_str()));
        let timeout = self.request_timeout();
        let sent = SentRequest {
            method: method::LOGGING_SET_LEVEL,
            params: &params,
            patience: RequestPatience::Limited { timeout, ceiling: timeout },
            annotated: &NOTHING_MIRRORED,
            called: None,
            attendant: None,
            pending: None,
        };
        self.reply(sent, None).await?.into_result().map(drop)
    }
}

impl WantedChanges {
    /// As the protocol writes it: what is not wanted is not there.
    fn filter<'a>(&self) -> Result<ObjectSplice<'a>, serde_json::Error> {
        let Self { tools, resources, prompts, uris } = self;
        let mut filter = ObjectSplice::new();
        for (name, is_wanted) in [
            ("toolsListChanged", *tools),
            ("promptsListChanged", *prompts),
            ("resourcesListChanged", *resources),
        ] {
            if is_wanted {
                filter.set(name, SpliceValue::Owned(serde_json::value::to_raw_value(&true)?));
            }
        }
        if !uris.is_empty() {
            let uris = serde_json::value::to_raw_value(uris)?;
            filter.set("resourceSubscriptions", SpliceValue::Owned(uris));
        }
        Ok(filter)
    }
}
