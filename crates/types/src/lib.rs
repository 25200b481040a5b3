//! The words of Toolgate as Rust types: ids, trust, secrets, origins, and the configured world.
//!
//! No I/O, no protocol, no policy: what is here can be held, compared and shown, and it cannot be
//! wrong, because every constructor parses. Reading files is `toolgate-config`, keeping things is
//! `toolgate-store`.

#[macro_use]
mod words;

mod approval_choice;
mod approval_question;
mod caller;
mod command_output;
pub mod config;
mod cut_mark;
mod definition;
mod endpoint;
mod era;
mod event;
mod failure;
mod host_event;
mod id;
mod kept_secret;
mod list_cost;
mod lock;
mod long_result;
mod metric_series;
mod millis;
mod movable_work;
mod name;
mod nearest_word;
mod network_decision;
mod operation;
mod operation_result;
mod origin;
mod pin;
mod pretty;
mod prompt;
mod protected_names;
mod provider;
mod public_address;
mod quiet_queue;
mod quotation;
mod repeated_keys;
mod resource_provider;
mod secret;
mod server_question;
mod session_overrides;
mod status;
mod switch;
mod task;
mod tool;
mod trace;
mod trust;
mod uri;
mod variables;
mod visible;

pub use approval_choice::ApprovalChoice;
pub use approval_question::{
    ApprovalQuestion, ApprovalReply, ApprovalRequired, FormAnswer, QuestionMoment,
};
pub use caller::{Caller, PeerConnection, PeerLink, Principal, Requester, SessionId};
pub use command_output::{CommandEnding, CommandPiece, PrintedStream};
pub use cut_mark::{CutMark, CutString};
pub use definition::{Definition, ToolHints};
pub use endpoint::{Endpoint, EndpointError};
pub use era::Era;
pub use event::{EventSink, ListKind, ServerEvent};
pub use failure::{CallError, Code, CorrelationId, Fault, ServerAnswer};
pub use host_event::{CallEnding, CallRef, HostEvent, HostListener, LogLevel, NoListener};
pub use id::{BundleId, IdError, RoleId, ServerId, StepId, ToolId, WorkflowId};
pub use kept_secret::{
    BadSecretName, NamedSecrets, SECRET_PREFIX, SecretName, SecretSource, SecretsFailure,
};
pub use list_cost::{ListCost, ListFigures, ServerListCost};
pub use lock::{LOCK_FILE, LockedTool, ProjectLock};
pub use long_result::{DiskShare, LongResult, StringRests};
pub use metric_series::{LABELLED_SERVERS, MetricKind, MetricSeries, OTHER_SERVERS};
pub use millis::{Milliseconds, ZeroMillis, since_1970};
pub use movable_work::{BoxedWork, LONG_MESSAGE, MovableWork, WorkMover, share_thread, step_aside};
pub use name::{EnvName, HeaderName, NameError, Pattern};
pub use nearest_word::{did_you_mean, nearest_word};
pub use network_decision::{NetworkDecision, NetworkRefusal, NetworkVerdict};
pub use operation::{Operation, OperationOutcome};
pub use operation_result::{InputQuestion, InputRequired, OperationResult, RetryAnswers};
pub use origin::{ConfigSource, Layer, LayerGrade, Origin};
pub use pin::{PinnedBy, Severity};
pub use pretty::pretty;
pub use prompt::{Prompt, PromptArgument, PromptRefusal};
pub use protected_names::{FOLDER_WITH_PROTECTED, PROTECTED_NAMES};
pub use provider::AuthProvider;
pub use public_address::is_public_address;
pub use quiet_queue::{QueueRoom, QuietReceiver, QuietSender, quiet_queue};
pub use quotation::{QUOTE_MARK, elicitation_of, quoted, with_member};
pub use repeated_keys::reject_repeated_keys;
pub use resource_provider::{
    OfferedResource, OfferedTemplate, ResourcePage, ResourceProvider, ResourceRefusal, ResourceText,
};
pub use secret::{ConfigText, Secret, is_sensitive_name};
pub use server_question::{
    Asker, InputRequest, NobodyToAsk, QuestionAnswer, QuestionKind, ServerQuestion,
};
pub use session_overrides::{OverridesError, SessionOverrides};
pub use status::{
    NEEDS_REGISTRATION, NO_TOKEN_GIVEN, OFFERS_NO_LOGIN, ServerSaid, ServerState, ServerStatus,
    UNUSABLE_LOGIN,
};
pub use switch::{PersonSwitch, SwitchScope, SwitchSubject, SwitchedAway, WindowMark};
pub use task::{TASKS_EXTENSION, TaskReport, TaskRequest, TaskState};
pub use tool::{OutputPart, Tool, ToolOrigin, ToolOutput};
pub use trace::TraceParent;
pub use trust::{
    Acceptances, Accepted, AcceptedEntry, Digest, EntryKind, EntryStanding, Fingerprint, HexDigest,
    PendingReason, Trust,
};
pub use uri::{
    WebAddress, allow_pattern_spellings, allowed_spellings, decode_fully, denied_spellings,
    deny_pattern_spellings, is_gate_uri, split_uri_of_server, uri_key, uri_of_server,
};
pub use variables::{BASELINE_VARIABLES, NETWORK_VARIABLES, PROXY_VARIABLES, Variables};
pub use visible::{is_hidden, visible, visible_json};
