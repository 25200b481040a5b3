//! A host as files describe it: the configuration, what a person accepted of it, the administrator's
//! rules, the servers that Toolgate brings itself, what is masked, the folder that it is for.
//!
//! Whoever runs a host has it made here, be it for agents, for a command that the daemon serves, or
//! for a command in its own process, so that the rules that hold for one hold for all.

mod administrator;
mod assembled_config;
mod builtins;
mod demo;
mod host_assembly;
mod judged_entry;
mod literal_credentials;
mod persons_logins;
mod pinned_server;
mod query_process;
mod surface;
mod unread_config;
mod workspace_context;

use std::sync::Arc;

use toolgate_types::config::{Entry, Server};
use toolgate_types::{Acceptances, EntryKind, EntryStanding};

pub use administrator::{UnusableRules, administrator};
pub use assembled_config::{AssembledConfig, LoadFindings, add_own_servers, look, switched_away};
pub use builtins::{hidden_places, is_brought, one_builtin};
pub use demo::{Demo, DemoAudience, DemoSaid};
pub use host_assembly::{HostAssembly, package_folder};
pub use judged_entry::{JudgedEntry, judged};
pub use literal_credentials::{literal_credentials, literal_credentials_of};
pub use persons_logins::persons_logins;
pub use pinned_server::{
    PinnedServer, accepted_instructions, pin_drift, pinned_servers, unname_tools,
};
pub use surface::{WHAT_IS_CLOSED, is_closed};
pub use unread_config::withhold_unread;
pub use workspace_context::{WorkspaceContext, is_own_variable};

/// The store as every part of a host takes it.
/// Where everything is kept, by whoever uses it.
pub type SharedStore = Arc<dyn toolgate_store::Store>;

/// How a server stands with the person.
pub fn server_standing(id: &str, entry: &Entry<Server>, known: &Acceptances) -> EntryStanding {
    let Entry { value, origin, fingerprint, .. } = entry;
    known.standing(origin.grade, EntryKind::Server, id, fingerprint, value.declared_trust)
}
