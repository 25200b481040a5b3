//! The process that stays: the daemon behind `toolgate stdio`, `toolgate serve`, and a gate for one
//! client alone; and what hosts do for commands, wherever they run.
//!
//! It is told where things are and which variables are set, and prints nothing: what a person sees
//! goes to a [`RunConsole`] and a [`RunObserver`].

mod caller_logins;
mod caller_watch;
mod config_watch;
mod confined_command;
mod contexts;
mod control;
mod daemon;
mod daemon_lock;
mod daemon_stay;
mod desktop;
mod doorkeeper;
mod endpoint;
mod errand;
mod lineage;
mod logging;
mod open_file_limit;
mod orphans;
mod person_login;
mod person_logout;
mod person_switches;
mod quiet_times;
mod reload;
mod run;
mod run_console;
mod run_settings;
mod sandbox_document;
mod serve;
mod server_packages;
mod server_test;
mod signals;
mod standalone;
mod test_ground;
mod threads;
mod tool_finds;
mod tool_settings;
mod visitors;
mod watched_run;
mod window_marks;

use parking_lot::{Mutex, MutexGuard};

use toolgate_control::CommandFailure;
use toolgate_store::StoreError;

pub use confined_command::{needs_walls, typed_command};
pub use desktop::open_in_browser;
pub use errand::{
    CallArguments, CallOverrides, CarriedCall, CarryFailure, CarryJob, CarryOut, CheckServers,
    ChosenServers, DescribeTool, Errand, ErrandHost, FailedCall, FindThings, FoundThing,
    FoundThings, HostWish, ListTools, ListedTool, ListedTools, ManifestRow, ManifestSources,
    MissingServer, Onlooker, ServerHealth, TERMINAL_CHANNEL, ThingKind, ToolManifest, TypedTool,
    UnmadeRecord, find_server, in_lines, login_hint, server_id, text_arguments, unknown_name,
    unknown_role, unknown_server,
};
pub use lineage::{GateVerb, GateVerbReader, read_gates_with, refusal, refuse_to_agents};
pub use logging::{
    LOG_FILE, LOGS_KEPT, LogChoice, LogFileReader, LogFormat, LogThreshold, LogWitness, RunLogs,
};
pub use orphans::orphaned_reapers;
pub use person_login::{LoginCode, LoginConversation, LoginLink, PersonLogin};
pub use person_logout::{LogoutReport, left_login, log_out};
pub use person_switches::{PersonSwitches, SwitchReach};
pub use run::run_daemon;
pub use run_console::{RunConsole, RunObserver};
pub use run_settings::RunSettings;
pub use sandbox_document::sandbox_document;
pub use serve::{ServeRequest, ServeStarted, serve, serve_alone};
pub use server_packages::{
    PackageNeeds, PackageState, fix_packages, forget_packages, package_key, package_state,
};
pub use server_test::{ServerTest, sandbox_view, test_server, tool_sandbox_view};
pub use standalone::run_standalone;
pub use test_ground::TestGround;
pub use tool_finds::{ToolFind, ToolFinds};
pub use tool_settings::unfit_tool_settings;
pub use watched_run::WatchedRun;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Changes are single assignments, so a panic elsewhere left it whole.
    mutex.lock()
}

fn store_failure(error: &StoreError) -> CommandFailure {
    let failure = CommandFailure::new(error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A number and what it counts: `1 line`, `2 lines`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
