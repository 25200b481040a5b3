//! The process that stays: the daemon behind `toolgate stdio`, `toolgate serve`, and a gate for one
//! client alone; and what hosts do for commands, wherever they run.
//!
//! It is told where things are and which variables are set, and prints nothing: what a person sees
//! goes to a [`RunConsole`] and a [`RunObserver`].

mod errand;
pub mod lineage;
mod logging;
mod open_file_limit;
mod run_console;
mod run_settings;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

use toolgate_control::CommandFailure;
use toolgate_store::StoreError;

pub use errand::{
    CLIENT_NAME, CallArguments, Carried, CarryFailure, CarryJob, CarryOut, ChosenServers, Errand,
    ErrandHost, FailedCall, FindThings, FoundThing, FoundThings, HostWish, ListTools, ListedTool,
    ListedTools, MissingServer, Onlooker, TERMINAL_CHANNEL, ThingKind, find_server, server_id,
    text_arguments,
};
pub use logging::{
    LOG_FILE, LOGS_KEPT, LogChoice, LogFormat, LogThreshold, RunLogs, Traces, WatchedRun, Witness,
};
pub use open_file_limit::fit_open_files;
pub use run_console::{RunConsole, RunObserver};
pub use run_settings::RunSettings;
pub use threads::runtime;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Changes are single assignments, so a panic elsewhere left it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
