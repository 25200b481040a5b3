//! How a gate is known: by the file it runs, which is ours, and by what it was told to do.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use toolgate_control::procfs;

/// What a gate was told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateVerb {
    /// It is a shim, or a gate for one client alone.
    Stdio,
    Daemon,
    Serve,
}

/// Reads the arguments of a process of this program as it reads them itself; nothing where that is
/// no gate.
pub type GateVerbReader = fn(&[String]) -> Option<GateVerb>;

/// Handed in by the program, since only it knows what its arguments mean.
static READER: OnceLock<GateVerbReader> = OnceLock::new();

/// What was read before, by the arguments themselves. A question looks at every process of this program
/// several times, and reading arguments is most of what that costs.
static READ_BEFORE: Mutex<Option<HashMap<Vec<String>, Option<GateVerb>>>> = Mutex::new(None);

/// More of them are not remembered at once.
const MOST_READ: usize = 256;

/// From now on gates are known by this. The first word counts.
pub fn read_gates_with(reader: GateVerbReader) {
    let _ = READER.set(reader);
}

/// Whether a process with these arguments is a daemon of this program.
pub(super) fn is_gate(pid: u32, arguments: &[String]) -> bool {
    runs_this_file(pid) && matches!(verb_of(arguments), Some(GateVerb::Daemon | GateVerb::Serve))
}

pub(super) fn runs_this_file(pid: u32) -> bool {
    let program = procfs::executable(std::process::id());
    program.is_some() && procfs::executable(pid) == program
}

/// What a process of ours was told to do, read as it reads it itself. Where the program did not say
/// how, each of its processes counts as a gate: an oversight must not open a door.
pub(super) fn verb_of(arguments: &[String]) -> Option<GateVerb> {
    let Some(reader) = READER.get() else { return Some(GateVerb::Daemon) };
    let mut read = READ_BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    let read = read.get_or_insert_default();
    if let Some(verb) = read.get(arguments) {
        return *verb;
    }
    if read.len() >= MOST_READ {
        read.clear();
    }
    let verb = reader(arguments);
    read.insert(arguments.to_vec(), verb);
    verb
}
