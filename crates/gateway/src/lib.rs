//! Listeners for agents, the protocol eras, and the way from a request to the host and back.
//!
//! It knows the protocol and the credentials, and leaves every decision to the host. It starts no
//! process, opens no file and reads no configuration: whoever runs it brings those.

mod asking;
mod connecting;
mod gateway;
mod http;
mod hub;
mod legacy;
mod lines;
mod metrics;
mod modern;
mod place;
mod request;
mod respond;
mod served;
mod serving;
mod session;
mod settings;
pub mod socket;
mod work;

pub use gateway::Gateway;
pub use http::DRAIN;
pub use lines::{Aside, Attached, Conversation, Ended};
pub use place::{Known, NoPlace};
pub use served::{Hosted, Hosts, Wanted};
pub use settings::{Callers, KNOWN_WITHIN, Notice, Refused, Settings, Unwatched, Watch};
