//! Connects to a server (local process, in process, Streamable HTTP, legacy SSE), in both protocol
//! eras, and carries requests and answers without changing them.
//!
//! A [`UpstreamConnection`] is one connection; an [`Upstream`] is a configured server over time, with its
//! catalog; a [`Pool`] has the servers that hosts share. A tool is listed as it was accepted, with
//! what its server says beside it where that differs. Nothing here decides whether a call may be
//! made: whatever is done for a caller comes with the guard's proof, and what is pending is refused
//! before anything is started or dialled.

mod attendant;
mod catalog;
mod channel;
mod command;
mod connection;
mod credential;
mod failure;
mod fetch_pages;
mod handshake;
mod http;
mod inbox;
mod instance;
mod list_wait;
mod mirrored_headers;
mod open;
mod open_questions;
mod own_roots;
mod own_tools;
mod packages;
mod patience;
mod pending_replies;
mod perform;
mod pool;
mod reply;
mod router;
mod send;
mod server;
mod server_login;
mod server_remark;
mod spill;
mod spilled_answer;
mod token_command;
mod transport;
mod wanted_changes;

pub use attendant::Attendant;
pub use catalog::CatalogListing;
pub use command::{
    CommandError, CommandFigures, CommandTally, CommandTools, OutputCheck, PreparedCommand,
    SessionDefaults, command_server, command_tools, command_view,
};
pub use connection::{OutgoingRequest, UpstreamConnection};
pub use credential::CredentialProviders;
pub use failure::{ConnectError, ErrorReply, RequestError, TokenStanding};
pub use fetch_pages::{FetchedList, PageLimits};
pub use handshake::ServerHandshake;
pub use http::{HttpFailure, LoginFetch};
pub use instance::{PATIENCE, RetiringInstance};
pub use list_wait::ListWait;
pub use mirrored_headers::may_mirror_parameters;
pub use open::{ServerOpening, ServerPackages, described, room_of};
pub use own_tools::{OwnToolServer, serve_own_stream, serve_own_tools};
pub use packages::{
    FixedPackages, InstalledServer, PackageError, PackageStore, Registries, RegistryPlaces,
    wanted_digest,
};
pub use perform::{CommandOptions, OperationOptions, forwarded_meta, is_meta_for_gate_alone};
pub use pool::{Pool, PoolBounds, PoolFull, PoolLimit};
pub use server::{
    Allowances, BuiltinByEntry, BuiltinServers, ConnectionLease, ConnectionUser, HostNumber,
    ServerSurroundings, Upstream, UpstreamError,
};
pub use server_login::{LoginAccess, has_own_credential, login_fetch, meant_account};
pub use server_remark::{RawProgress, ServerRemark};
pub use spilled_answer::{SpillPlace, SpilledAnswer};
pub use token_command::TokenCommandProviders;
pub use toolgate_sandbox::{HelperPath, ProcessSpawner};
pub use wanted_changes::WantedChanges;
