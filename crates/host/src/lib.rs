//! Toolgate as a library, for people who write agents: servers that are started when they are used,
//! their tools under names that never clash, and one call from begin to end.
//!
//! ```no_run
//! # async fn run(config: toolgate_types::config::Config) -> Result<(), Box<dyn std::error::Error>> {
//! let host = toolgate_host::Host::builder().config(config).build();
//! for tool in host.tools().await {
//!     println!("{}: {}", tool.name(), tool.description());
//! }
//! # Ok(()) }
//! ```
//!
//! It listens on nothing and prints nothing; the protocol of MCP does not appear in its types.

mod adapter;
mod arguments;
mod artifact;
mod asking;
mod audience;
mod builder;
mod bundles;
mod call;
mod catalog;
mod claims;
mod description;
mod entry;
mod explain;
mod host;
mod names;
mod offers;
mod output;
mod own;
mod rulebook;
mod servers;
mod view;

pub use audience::{Address, Audience};
pub use builder::HostBuilder;
pub use bundles::Resolved;
pub use call::{Call, Options, Reader, Target, Unmade};
pub use catalog::Found;
pub use claims::{PAGE_MEMBERS, UriClaims};
pub use entry::ToolEntry;
pub use explain::Explanation;
pub use host::{Host, StartError};
pub use offers::{ListedResource, Prompts, ResourcePlace, Unplaced};
pub use output::tool_output;
pub use rulebook::ResolveError;
pub use toolgate_guard::{
    Administrator, AllowEverything, Approver, Desk, Guard, News, NotWaiting, Petition, Reference,
    Settled, StepAddress, Verdict, Waiting,
};
pub use toolgate_types::ApprovalChoice;
pub use toolgate_upstream::{Attendant, Bounds, Builtin, HelperPath, Pool, Progress, Providers};
pub use view::View;
