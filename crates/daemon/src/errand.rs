//! What a host does for a command, wherever that host is: in the daemon, or in the command's own
//! process.

mod call_arguments;
mod call_overrides;
mod call_view;
mod carry_failure;
mod carry_job;
mod carry_out;
mod carry_target;
mod check_servers;
mod chosen_servers;
mod describe_tool;
mod errand_host;
mod find_things;
mod host_wish;
mod list_tools;
mod missing_server;
mod onlooker;
mod shown_output;
mod tool_manifest;
mod typed_tool;
mod unknown_name;
mod unmade_carry;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolgate_control::CommandFailure;

pub use call_arguments::{CallArguments, text_arguments};
pub use call_overrides::CallOverrides;
pub use carry_failure::{CarryFailure, FailedCall};
pub use carry_job::CarryJob;
pub use carry_out::{CarriedCall, CarryOut};
pub use check_servers::{CheckServers, ServerHealth};
pub(crate) use chosen_servers::find_role;
pub use chosen_servers::{ChosenServers, find_server, server_id};
pub use describe_tool::DescribeTool;
pub use errand_host::ErrandHost;
pub use find_things::{FindThings, FoundThing, FoundThings, ThingKind};
pub use host_wish::HostWish;
pub use list_tools::{ListTools, ListedTool, ListedTools};
pub use missing_server::{MissingServer, in_lines, login_hint};
pub use onlooker::{Onlooker, TERMINAL_CHANNEL};
pub use tool_manifest::{ManifestRow, ManifestSources, ToolManifest};
pub use typed_tool::TypedTool;
pub use unknown_name::{unknown_name, unknown_role, unknown_server};
pub use unmade_carry::UnmadeRecord;

/// Something for a host to do.
pub trait Errand: Serialize + DeserializeOwned + Send + Sync {
    /// What the daemon knows it by.
    const METHOD: &'static str;

    type Product: Serialize + DeserializeOwned + Send;

    /// Why there is no product.
    type Trouble: Serialize + DeserializeOwned + From<CommandFailure> + Send;

    /// What the person typed for it.
    fn verb(&self) -> &'static str;

    fn wish(&self) -> HostWish<'_>;

    fn run(
        &self,
        hosted: &ErrandHost,
    ) -> impl Future<Output = Result<Self::Product, Self::Trouble>> + Send;
}
