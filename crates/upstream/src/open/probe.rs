//! Which era a server speaks: asked in the modern way first, in the older way where that fails.
//!
//! One error code alone never decides; silence does, once the server had time to speak.

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

/// How long a server that is up may stay silent before it counts as one of the older era.
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
    let modern = match known.map(ProtocolRevision::era) {
        Some(Era::Legacy) => ProbeOutcome::Older,
        Some(Era::Modern) | None => {
            let discover = wiring.ask(
                Some(ProtocolRevision::NEWEST),
                method::SERVER_DISCOVER,
                ObjectSplice::new(),
                limit,
            );
            tokio::select! {
                answer = discover => judge(answer),
                () = silence.over() => {
                    debug!(server = server.as_str(), "silent when it was asked in the modern way");
                    ProbeOutcome::Older
                }
            }
        }
    };
    modern.log(server, known);
    let agreed = match modern {
        ProbeOutcome::Modern(handshake) => Ok(handshake),
        ProbeOutcome::Older => wiring.initialize(limit).await,
        ProbeOutcome::Failed(error) => Err(error),
    };
    match agreed {
        Ok(handshake) => Ok(wiring.establish(handshake)),
        Err(error) => {
            wiring.channel.close(GRACE).await;
            Err(error)
        }
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
