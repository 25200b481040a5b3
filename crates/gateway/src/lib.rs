//! Listeners for agents, the protocol eras, and the way from a request to the host and back.
//!
//! It knows the protocol and the credentials, and leaves every decision to the host. It starts no
//! process, opens no file and reads no configuration: whoever runs it brings those.

mod app_pages;
mod client_abilities;
mod client_patience;
mod client_questions;
mod connection;
mod connection_threads;
mod elicitation_form;
mod entrance;
mod gateway;
mod host_maker;
mod http;
mod hub;
mod known_caller;
mod legacy;
mod lines;
mod login_advice;
mod login_pages;
mod long_reply;
mod metrics;
mod modern;
mod place;
mod refusal;
mod reply_message;
mod request;
mod resource_metadata;
mod respond;
mod serve;
mod served;
mod session;
mod settings;
pub mod socket;
mod state;
mod window_switches;
mod work;
mod written_event;

pub use connection::DRAIN;
pub use connection_threads::ConnectionThreads;
pub use entrance::{ConnectionEntrance, TlsTerms};
pub use gateway::Gateway;
pub use host_maker::{HostMaker, HostedFolder, WantedHost};
pub use known_caller::KnownCaller;
pub use lines::{AttachedClient, Conversation, ConversationEnd, LineNotice};
pub use login_pages::{LoginPages, PageAnswer, PageVisit, ServerSight};
pub use place::NoPlace;
pub use resource_metadata::ResourceMetadata;
pub use settings::{
    CallerRefused, CallerVerifier, GatewayNotice, GatewaySettings, GatewayWatch, KNOWN_WITHIN,
    NoGatewayWatch,
};
pub use window_switches::WindowSwitches;
