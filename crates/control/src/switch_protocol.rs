//! What a command asks a daemon about the windows that are open: to do without a server there, or to
//! have it again. What holds everywhere or in a folder is kept by the command itself.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub const SWITCH_WINDOWS: &str = "windows.switch";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct WindowSwitchRequest {
    /// The windows that work in this folder or below it.
    pub folder: PathBuf,
    pub server: String,
    /// Whether they are to do without it.
    pub is_off: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowSwitchAnswer {
    /// How many windows work there.
    pub windows: usize,
    /// For how many of them it is another than before.
    pub changed: usize,
}
