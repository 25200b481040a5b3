//! Which era a server speaks: asked in the modern way first, in the older way where that fails.
//!
//! One error code alone never decides; silence does, once the server had time to speak.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use toolgate_wire::{Era, ErrorCode, RawObject, Revision, Splice, method};

use super::GRACE;
use crate::connection::{Connection, Wiring};
use crate::failure::{ConnectError, ErrorReply, RequestError};
use crate::handshake::Handshake;

/// How long a server that is up may stay silent before it counts as one of the older era.
const SILENCE: Duration = Duration::from_secs(3);

/// When silence begins to count.
pub(super) struct Silence {
    spoke: Option<Arc<Notify>>,
    /// How long a process may take to write anything at all.
    patience: Duration,
}

impl Silence {
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
pub(super) enum Probed {
    Modern(Handshake),
    /// Ask in the older way.
    Older,
    Failed(ConnectError),
}

/// Over a stream that both sides write to.
pub(super) async fn duplex(
    wiring: Wiring,
    known: Option<Revision>,
    silence: Silence,
    limit: Duration,
) -> Result<Connection, ConnectError> {
    let modern = match known.map(Revision::era) {
        Some(Era::Legacy) => Probed::Older,
        Some(Era::Modern) | None => {
            let discover =
                wiring.ask(Some(Revision::NEWEST), method::SERVER_DISCOVER, Splice::new(), limit);
            tokio::select! {
                answer = discover => judge(answer),
                () = silence.over() => Probed::Older,
            }
        }
    };
    let agreed = match modern {
        Probed::Modern(handshake) => Ok(handshake),
        Probed::Older => wiring.initialize(limit).await,
        Probed::Failed(error) => Err(error),
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
pub(super) fn judge(answer: Result<Box<serde_json::value::RawValue>, RequestError>) -> Probed {
    match answer {
        Ok(result) => match Handshake::of_discover(&result) {
            Ok(handshake) => Probed::Modern(handshake),
            Err(ConnectError::UnsupportedVersion(listed)) => older_or_none(listed),
            // Something answers to everything; the handshake will tell.
            Err(_) => Probed::Older,
        },
        Err(RequestError::Refused(error) | RequestError::Rejected { error, .. }) => {
            if error.code == ErrorCode::UNSUPPORTED_VERSION {
                older_or_none(supported(&error))
            } else if error.code.is_modern() {
                Probed::Failed(ConnectError::Refused(error))
            } else {
                Probed::Older
            }
        }
        Err(RequestError::Protocol(_)) => Probed::Older,
        Err(other) => Probed::Failed(other.into()),
    }
}

/// Whether a refusal of the revision names that very one among those the server speaks. Spelled out
/// by servers that want to be asked again.
pub(super) fn speaks_newest(error: &ErrorReply) -> bool {
    error.code == ErrorCode::UNSUPPORTED_VERSION
        && supported(error).split(", ").any(|version| version == Revision::NEWEST.as_str())
}

fn supported(error: &ErrorReply) -> String {
    let data = error.data.as_deref().and_then(|data| RawObject::parse(data).ok());
    let listed = data.as_ref().and_then(|data| data.get_some("supported"));
    let listed: Vec<String> =
        listed.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    listed.join(", ")
}

/// A server that speaks another revision of ours is asked in that one's way.
fn older_or_none(listed: String) -> Probed {
    let known = |text: &str| text.trim().parse::<Revision>().is_ok_and(|r| r.era() == Era::Legacy);
    if listed.is_empty() || listed.split(',').any(known) {
        Probed::Older
    } else {
        Probed::Failed(ConnectError::UnsupportedVersion(listed))
    }
}
