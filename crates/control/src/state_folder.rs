//! Where Toolgate keeps what outlives a run.

use std::path::PathBuf;

use toolgate_types::Variables;

use crate::CommandFailure;

/// Where whoever has these variables keeps state.
pub fn state_folder(variables: &Variables) -> Result<PathBuf, CommandFailure> {
    let absolute =
        |name: &str| variables.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join("toolgate")).ok_or_else(|| {
        CommandFailure::new("cannot tell where state is kept").hint("set HOME or XDG_STATE_HOME")
    })
}
