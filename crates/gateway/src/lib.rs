//! Listeners for agents, the protocol eras, and the way from a request to the host and back.
//!
//! It knows the protocol and the credentials, and leaves every decision to the host. It starts no
//! process, opens no file and reads no configuration: whoever runs it brings those.

mod asking;
mod gateway;
mod http;
mod hub;
mod legacy;
mod metrics;
mod modern;
mod place;
mod request;
mod respond;
mod served;
mod serving;
mod session;
mod settings;
mod work;

pub use gateway::Gateway;
pub use http::DRAIN;
pub use place::Known;
pub use served::{Hosted, Hosts, Wanted};
pub use settings::{Callers, Notice, Refused, Settings, Unwatched, Watch};
