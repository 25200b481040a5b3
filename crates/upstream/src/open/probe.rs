//! Which era a server speaks. Over a stream it is asked in the older way first: one that speaks both is
//! wanted in that, since what it asks on its connection reaches callers of either era, and some
//! servers decide by the first message for good. Over HTTP it is asked in the modern way first.
//!
//! One error code alone never decides; silence does, once the server had time to speak.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use toolgate_types::ServerId;
use toolgate_wire::{Era, ErrorCode, ObjectSplice, ProtocolRevision, RawObject, method};
use tracing::debug;

use super::GRACE;
use crate::connection::{ConnectionWiring, UpstreamConnection};
use crate::failure::{ConnectError, ErrorReply, RequestError};
use crate::handshake::ServerHandshake;

/// How long a server that is up may stay silent before it is asked in the other way.
const SILENCE: Duration = Duration::from_secs(3);

/// When silence begins to count.
pub(super) struct ProbeSilence {
    spoke: Option<Arc<Notify>>,
    /// How long a process may take to write anything at all.
    patience: Duration,
}

impl ProbeSilence {
    /// The other side is there already.
    pub(super) fn at_once() -> Self {
        Self { spoke: None, patience: Duration::ZERO }
    }

    pub(super) fn after(spoke: Arc<Notify>, patience: Duration) -> Self {
        Self { spoke: Some(spoke), patience }
    }

    async fn over(&self) {
        if let Some(spoke) = &self.spoke {
            let _ = timeout(self.patience, spoke.notified()).await;
        }
        sleep(SILENCE).await;
    }
}

/// What the modern question brought.
pub(super) enum ProbeOutcome {
    Modern(ServerHandshake),
    /// Ask in the older way.
    Older,
    Failed(ConnectError),
}

impl ProbeOutcome {
    /// Which era it is to be, and whether that was known before.
    pub(super) fn log(&self, server: &ServerId, known: Option<ProtocolRevision>) {
        let known = known.map(ProtocolRevision::as_str);
        match self {
            Self::Modern(handshake) => {
                let revision = handshake.revision.as_str();
                debug!(server = server.as_str(), era = "modern", revision, known, "era chosen");
            }
            Self::Older => debug!(server = server.as_str(), era = "legacy", known, "era chosen"),
            Self::Failed(error) => {
                debug!(server = server.as_str(), why = error.kind(), known, "era not found");
            }
        }
    }
}

/// Over a stream that both sides write to.
pub(super) async fn duplex(
    server: &ServerId,
    wiring: ConnectionWiring,
    known: Option<ProtocolRevision>,
    silence: ProbeSilence,
    limit: Duration,
) -> Result<UpstreamConnection, ConnectError> {
    let agreed = match known.map(ProtocolRevision::era) {
        Some(Era::Modern) => modern_first(server, &wiring, silence, limit).await,
        Some(Era::Legacy) | None => older_first(server, &wiring, silence, limit).await,
    };
    match agreed {
        Ok(handshake) => {
            let (era, revision) = (handshake.era().as_str(), handshake.revision.as_str());
            let known = known.map(ProtocolRevision::as_str);
            debug!(server = server.as_str(), era, revision, known, "era chosen");
            Ok(wiring.establish(handshake))
        }
        Err(error) => {
            let known = known.map(ProtocolRevision::as_str);
            debug!(server = server.as_str(), why = error.kind(), known, "era not found");
            wiring.channel.close(GRACE).await;
            Err(error)
        }
    }
}

async fn discover(wiring: &ConnectionWiring, limit: Duration) -> ProbeOutcome {
    let version = Some(ProtocolRevision::NEWEST);
    judge(wiring.ask(version, method::SERVER_DISCOVER, ObjectSplice::new(), limit).await)
}

/// A server that refuses the handshake may know only what came after it; so may one that is silent, but
/// it may also just be slow: both are waited for then.
async fn older_first(
    server: &ServerId,
    wiring: &ConnectionWiring,
    silence: ProbeSilence,
    limit: Duration,
) -> Result<ServerHandshake, ConnectError> {
    let mut initializing = pin!(wiring.initialize(limit));
    let initialized = tokio::select! {
        initialized = &mut initializing => initialized,
        () = silence.over() => {
            debug!(server = server.as_str(), "silent when it was asked in the older way");
            let mut discovering = pin!(discover(wiring, limit));
            tokio::select! {
                initialized = &mut initializing => initialized,
                discovered = &mut discovering => match discovered {
                    ProbeOutcome::Modern(handshake) => return Ok(handshake),
                    ProbeOutcome::Older | ProbeOutcome::Failed(_) => initializing.await,
                },
            }
        }
    };
    match initialized {
        Err(refused) if refused.is_an_answer() => match discover(wiring, limit).await {
            ProbeOutcome::Modern(handshake) => Ok(handshake),
            ProbeOutcome::Older | ProbeOutcome::Failed(_) => Err(refused),
        },
        initialized => initialized,
    }
}

/// One that spoke so the last time.
async fn modern_first(
    server: &ServerId,
    wiring: &ConnectionWiring,
    silence: ProbeSilence,
    limit: Duration,
) -> Result<ServerHandshake, ConnectError> {
    let modern = tokio::select! {
        discovered = discover(wiring, limit) => discovered,
        () = silence.over() => {
            debug!(server = server.as_str(), "silent when it was asked in the modern way");
            ProbeOutcome::Older
        }
    };
    match modern {
        ProbeOutcome::Modern(handshake) => Ok(handshake),
        ProbeOutcome::Older => wiring.initialize(limit).await,
        ProbeOutcome::Failed(error) => Err(error),
    }
}

/// A result or an error that only a modern server gives means modern; any other error means older;
/// a connection that is gone means neither.
pub(super) fn judge(
    answer: Result<Box<serde_json::value::RawValue>, RequestError>,
) -> ProbeOutcome {
    match answer {
        Ok(result) => match ServerHandshake::of_discover(&result) {
            Ok(handshake) => ProbeOutcome::Modern(handshake),
            Err(ConnectError::UnsupportedVersion(listed)) => older_or_none(listed),
            // Something answers to everything; the handshake will tell.
            Err(_) => ProbeOutcome::Older,
        },
        Err(RequestError::Refused(error) | RequestError::Rejected { error, .. }) => {
            if error.code == ErrorCode::UNSUPPORTED_VERSION {
                older_or_none(supported(&error))
            } else if error.code.is_modern() {
                ProbeOutcome::Failed(ConnectError::Refused(error))
            } else {
                ProbeOutcome::Older
            }
        }
        Err(RequestError::Protocol(_)) => ProbeOutcome::Older,
        Err(other) => ProbeOutcome::Failed(other.into()),
    }
}

/// Whether a refusal of the revision names that very one among those the server speaks. Spelled out
/// by servers that want to be asked again.
pub(super) fn speaks_newest(error: &ErrorReply) -> bool {
    error.code == ErrorCode::UNSUPPORTED_VERSION
        && supported(error).split(", ").any(|version| version == ProtocolRevision::NEWEST.as_str())
}

fn supported(error: &ErrorReply) -> String {
    let data = error.data.as_deref().and_then(|data| RawObject::parse(data).ok());
    let listed = data.as_ref().and_then(|data| data.get_some("supported"));
    let listed: Vec<String> =
        listed.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    listed.join(", ")
}

/// A server that speaks another revision of ours is asked in that one's way.
fn older_or_none(listed: String) -> ProbeOutcome {
    let known =
        |text: &str| text.trim().parse::<ProtocolRevision>().is_ok_and(|r| r.era() == Era::Legacy);
    if listed.is_empty() || listed.split(',').any(known) {
        ProbeOutcome::Older
    } else {
        ProbeOutcome::Failed(ConnectError::UnsupportedVersion(listed))
    }
}
