//! What a confined process would see, without starting it: for the person who wants to know.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use toolgate_types::config::{NetworkAccess, ResourceLimits};

use crate::walls::{RootStep, Walls};

/// What walls let through, as the process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxView {
    /// Folders and files of the machine that may be read.
    pub readable: Vec<PathBuf>,
    /// Those that may be written to.
    pub writable: Vec<PathBuf>,
    /// Empty folders that may be written to and are gone afterwards.
    pub scratch: Vec<PathBuf>,
    /// What is there and hidden.
    pub hidden: Vec<PathBuf>,
    pub network: NetworkAccess,
    pub limits: ResourceLimits,
}

impl SandboxView {
    pub(crate) fn of(walls: &Walls) -> Self {
        let mut view = Self {
            readable: Vec::new(),
            writable: Vec::new(),
            scratch: Vec::new(),
            hidden: Vec::new(),
            network: walls.network.clone(),
            limits: walls.limits,
        };
        for step in &walls.steps {
            match step {
                RootStep::Show { at, is_writable: true, .. } => view.writable.push(path(at)),
                RootStep::Show { at, is_writable: false, .. } => view.readable.push(path(at)),
                RootStep::Overlay { at, .. } => view.writable.push(path(at)),
                RootStep::Scratch { at, .. } => view.scratch.push(path(at)),
                RootStep::Empty { at } | RootStep::Blank { at } => view.hidden.push(path(at)),
                // It shows nothing that is not shown under its own name.
                RootStep::Link { .. } | RootStep::Text { .. } => {}
            }
        }
        view
    }
}

fn path(text: &CStr) -> PathBuf {
    OsStr::from_bytes(text.to_bytes()).into()
}
