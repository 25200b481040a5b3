//! The words of Toolgate as Rust types: ids, trust, secrets, origins, and the configured world.
//!
//! No I/O, no protocol, no policy: what is here can be held, compared and shown, and it cannot be
//! wrong, because every constructor parses. Reading files is `toolgate-config`, keeping things is
//! `toolgate-store`.

#[macro_use]
mod words;

mod approval_choice;
mod asking;
mod caller;
pub mod config;
mod definition;
mod endpoint;
mod era;
mod event;
mod failure;
mod happening;
mod id;
mod lock;
mod millis;
mod name;
mod operation;
mod origin;
mod pin;
mod pretty;
mod provider;
mod quotation;
mod secret;
mod status;
mod tool;
mod trace;
mod trust;
mod uri;
mod variables;
mod visible;

pub use approval_choice::ApprovalChoice;
pub use asking::{Answer, Asker, InputRequest, Nobody, Question, QuestionKind};
pub use caller::{Caller, PeerConnection, PeerLink, Principal, Requester, SessionId};
pub use definition::{Definition, Hints};
pub use endpoint::{Endpoint, EndpointError};
pub use era::Era;
pub use event::{EventSink, ListKind, ServerEvent};
pub use failure::{CallError, Code, CorrelationId, Fault, ServerAnswer};
pub use happening::{CallRef, Ending, HostEvent, HostListener, LogLevel, Unheard};
pub use id::{BundleId, IdError, RoleId, ServerId, StepId, ToolId, WorkflowId};
pub use lock::{LOCK_FILE, Lock, Locked};
pub use millis::{Millis, ZeroMillis, since_1970};
pub use name::{EnvName, HeaderName, NameError, Pattern};
pub use operation::{Done, InputQuestion, InputRequired, Operation, Outcome, Retry};
pub use origin::{Grade, Layer, Origin, Source};
pub use pin::{PinnedBy, Severity};
pub use pretty::pretty;
pub use provider::AuthProvider;
pub use quotation::{QUOTE_MARK, elicitation_of, quoted, with_member};
pub use secret::{Secret, Text, is_sensitive_name};
pub use status::{ServerState, ServerStatus, Spoken};
pub use tool::{Part, Tool, ToolOrigin, ToolOutput};
pub use trace::TraceParent;
pub use trust::{
    Acceptances, Accepted, AcceptedEntry, Digest, EntryKind, Fingerprint, PendingReason, Standing,
    Trust,
};
pub use uri::{
    allow_pattern_spellings, allowed_spellings, decode_fully, denied_spellings,
    deny_pattern_spellings, is_gate_uri, split_uri_of_server, uri_key, uri_of_server,
};
pub use variables::{BASELINE_VARIABLES, Variables};
pub use visible::{is_hidden, visible, visible_json};
