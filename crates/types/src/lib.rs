//! The words of Toolgate as Rust types: ids, trust, secrets, origins, and the configured world.
//!
//! No I/O, no protocol, no policy: what is here can be held, compared and shown, and it cannot be
//! wrong, because every constructor parses. Reading files is `toolgate-config`, keeping things is
//! `toolgate-store`.

#[macro_use]
mod words;

mod asking;
pub mod config;
mod endpoint;
mod event;
mod id;
mod millis;
mod name;
mod origin;
mod secret;
mod trust;
mod visible;

pub use asking::{Answer, Asker, InputRequest, Nobody, Question, QuestionKind};
pub use endpoint::{Endpoint, EndpointError};
pub use event::{EventSink, ListKind, ServerEvent};
pub use id::{BundleId, IdError, RoleId, ServerId, StepId, ToolId, WorkflowId};
pub use millis::{Millis, ZeroMillis};
pub use name::{EnvName, HeaderName, NameError, Pattern};
pub use origin::{Grade, Layer, Origin, Source};
pub use secret::{Secret, Text, is_sensitive_name};
pub use trust::{
    Acceptances, Accepted, AcceptedEntry, Digest, EntryKind, Fingerprint, PendingReason, Standing,
    Trust,
};
pub use visible::visible;
