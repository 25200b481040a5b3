//! How a server is doing, as data for a screen.

use std::time::{Duration, SystemTime};

use crate::ServerId;
use crate::config::Isolation;

words! {
    /// The states a server can be in.
    ServerState {
        /// Configured, never or not any more connected; it is started when it is used.
        Idle = "idle",
        Disabled = "disabled",
        /// Not accepted by a person yet.
        Pending = "pending",
        Connecting = "connecting",
        /// It answers only after a login.
        AuthRequired = "auth_required",
        /// It answers only after a login, and a person has to register a client for that first.
        RegistrationRequired = "registration_required",
        Ready = "ready",
        Error = "error",
    }
}

/// How an error begins to say that there is nothing to log in to, so that nobody is sent there.
pub const OFFERS_NO_LOGIN: &str = "wants a credential and offers no login";

/// How an error says that whoever is to give a token gave none; logging in would not help.
pub const NO_TOKEN_GIVEN: &str = "its provider gave none";

/// How an error says that nobody can log in before a client was registered.
pub const NEEDS_REGISTRATION: &str = "needs registration";

/// How an error says that there is a login, and that nobody should or can use it.
pub const UNUSABLE_LOGIN: &str = "a login that cannot be used";

/// One server, now.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    pub id: ServerId,
    pub state: ServerState,
    pub transport: &'static str,
    /// Which layer of the configuration it is from.
    pub source: &'static str,
    /// Where exactly: file and line, variable, or the program itself.
    pub origin: String,
    pub enabled: bool,
    pub isolation: Isolation,
    /// The last thing that went wrong, also when it has recovered since.
    pub last_error: Option<String>,
    pub last_connected_at: Option<SystemTime>,
    /// How long nothing is tried, after failures.
    pub retry_in: Option<Duration>,
    /// Failures in a row.
    pub failures: u32,
    pub connection: Option<ServerSaid>,
    /// How many tools it is known to have; `None` before it was ever asked.
    pub tools: Option<usize>,
    /// Its process, where one of ours runs; of several, that of the shared one or the first.
    pub pid: Option<u32>,
    /// How many processes it is served by: more than one where sessions have their own.
    pub processes: usize,
    /// What is resident of them and of all they started, as it was when last looked at. Nothing
    /// where it was not looked at yet or cannot be.
    pub memory_bytes: Option<u64>,
    /// How many operations it was given since this program runs.
    pub calls: u64,
    /// How many of them are under way.
    pub in_flight: usize,
}

/// What a connected server said of itself.
#[derive(Debug, Clone)]
pub struct ServerSaid {
    /// `legacy` or `modern`.
    pub era: &'static str,
    /// The revision of the protocol.
    pub revision: &'static str,
    pub name: Option<String>,
    pub version: Option<String>,
    /// What it says of how to use it, as that was accepted; what it says now may be something else.
    pub instructions: Option<String>,
}
