//! Toolgate as a library, for people who write agents: servers that are started when they are used,
//! their tools under names that never clash, and one call from begin to end.
//!
//! ```no_run
//! # async fn run(config: toolgate_host::Config) -> Result<(), Box<dyn std::error::Error>> {
//! let host = toolgate_host::Host::builder().config(config).build();
//! for tool in host.tools().await {
//!     println!("{}: {}", tool.name(), tool.description());
//! }
//! # Ok(()) }
//! ```
//!
//! It listens on nothing and prints nothing; the protocol of MCP does not appear in its types.
//!
//! # How to embed it
//!
//! 1. Call [`init`] first in `main`: local servers run below small processes that are this very
//!    program, so that nothing of them stays behind.
//! 2. Get a [`Config`] and what a person accepted of it ([`Acceptances`]). Whoever wants exactly what
//!    files, the store and the administrator say takes a builder from `toolgate-assembly`, which
//!    `toolgate` itself uses; `examples/agent.rs` there is an agent on one page.
//! 3. Give [`Host::builder`] what else there is: a store and a log for records, an [`Asker`] for the
//!    person, a listener. Everything has a default, and the default asks nobody and allows nothing
//!    that would have to be asked for.
//! 4. Tools come as [`Tool`]s from [`Host::tools`], for a core that knows nothing but tools, or as a
//!    [`ToolView`] for an [`Audience`]. A call is [`Tool::call`] or [`Host::call`]; a tool that says
//!    that it failed is an outcome, and a [`CallError`] says whose fault it is and whether to retry.
//! 5. A call that needs a person goes to [`Asker::approve`] with an [`ApprovalQuestion`]: the text to
//!    show, whole, and the choices to offer. The same call waits in the [`ApprovalQueue`] for whoever
//!    else can answer.
//! 6. Tools of the program itself join by [`HostBuilder::own_tools`]; see `examples/own_tools.rs`.
//! 7. [`Host::close_all`] ends what runs and waits until all is recorded.

#![deny(missing_docs)]

mod adapter;
mod approval_channels;
mod arguments;
mod artifact;
mod audience;
mod await_lists;
mod builder;
mod bundles;
mod call;
mod catalog;
mod change_servers;
mod claims;
mod description;
mod entry;
mod explain;
mod exposure;
mod host;
mod list_cost;
mod list_tools;
mod listed_name;
mod members;
mod named_servers;
mod names;
mod offers;
mod output;
mod output_schema;
mod own;
mod own_tool;
mod past_success;
mod recall_successes;
mod rulebook;
mod searched_list;
mod selections;
mod servers;
mod shaping;
mod told_tools;
mod unfit_settings;
mod view;

pub use audience::{AddressPart, Audience, AudienceAddress};
pub use builder::HostBuilder;
pub use bundles::ResolvedAddress;
pub use call::{Call, CallOptions, CallTarget, ResultReader, TaskAnswer, UnmadeCall};
pub use catalog::CatalogItem;
pub use claims::{PAGE_MEMBERS, UriClaims};
pub use entry::ToolEntry;
pub use explain::Explanation;
pub use host::{Host, StartError};
pub use offers::{ListedPrompts, ListedResource, ResourcePlace, UnplacedUri};
pub use output::tool_output;
pub use rulebook::ResolveError;
#[cfg(feature = "insecure-allow-everything")]
pub use toolgate_guard::AllowEverything;
pub use toolgate_guard::{
    ActingAs, Administrator, ApprovalOutcome, ApprovalQueue, ApprovalReference, ApprovalRequest,
    ApprovalVerdict, Approver, Guard, NotWaiting, QueueEvent, StepAddress, WaitingApproval,
};
pub use toolgate_sandbox::{Description, EmbeddersWalls, Enclosed, init};
pub use toolgate_types::config::{ApprovalMode, Config, Confinement};
pub use toolgate_types::{
    Acceptances, ApprovalChoice, ApprovalQuestion, ApprovalReply, Asker, CallError, Code, CutMark,
    CutString, LongResult, OperationOutcome, OperationResult, OutputPart, QuestionAnswer,
    QuestionKind, QuietReceiver, QuietSender, ServerId, ServerQuestion, StringRests, Tool,
    ToolOrigin, ToolOutput, quiet_queue,
};
pub use toolgate_upstream::{
    Attendant, BuiltinByEntry, BuiltinServers, CredentialProviders, HelperPath, ListWait, Pool,
    PoolBounds, RawProgress, ServerRemark, SessionDefaults, is_meta_for_gate_alone,
};
pub use unfit_settings::UnfitSettings;
pub use view::ToolView;
