//! What `toolgate serve` and a daemon that runs already say to each other: an address is added for as
//! long as the conversation lasts. Both are the same program, of the same version.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::{CommandFailure, Standpoint};

/// Has a daemon listen on an address, until the one who asked leaves.
pub const OPEN_ENDPOINT: &str = "endpoint.open";

/// It listens.
pub const ENDPOINT_OPENED: &str = "endpoint.opened";

/// Where to listen, and for which folder.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointRequest {
    pub version: String,
    pub standpoint: Standpoint,
    pub listen: SocketAddr,
    /// How callers prove who they are, and the form of names, in the words of a configuration.
    pub auth: String,
    pub naming: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct EndpointOpened {
    pub address: SocketAddr,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointEnd {
    /// It was open, and is not any more.
    Closed,
    NotOpened(CommandFailure),
}
