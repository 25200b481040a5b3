//! From what is written to what is meant: raw structs into the types of the configured world.
//!
//! Each function reports what is wrong at the key that is wrong; a value comes back all the same
//! where one can, so that the rest of the entry is checked too.

mod auth_provider;
mod codex;
mod further_folders;
mod http_entrance;
mod process;
mod remote;
mod sections;
mod server;
mod token_issuer;
mod tool;
mod tool_shaping;

pub(crate) use auth_provider::auth_provider;
pub(crate) use codex::codex_server;
pub(crate) use sections::{
    approval, audit, bundle, gateway, limits, policy, role, sandbox, workflow,
};
pub(crate) use server::{server, transport_keys};
pub(crate) use tool::tool;
