//! What all walls of one house are built by: the person's word, and the folders that they keep away from.
//!
//! The caller knows them; nothing here is read from an entry.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use toolgate_types::config::{OuterWall, SandboxSection};

/// What all walls are built by, whatever an entry says.
#[derive(Debug, Clone, Default)]
pub struct SandboxGround {
    /// The person's home. An empty folder stands in its place.
    pub home: Option<PathBuf>,
    /// What is shown to nobody, wherever it lies: Toolgate's own files.
    pub hidden: Vec<PathBuf>,
    /// What the outer wall is to be made of.
    pub outer: OuterWall,
    /// Where programs are looked for that help to build; never the workspace.
    pub search_path: Option<OsString>,
    /// What the person opens to every confined process, besides what an entry names.
    pub readable: Vec<String>,
    pub writable: Vec<String>,
}

impl SandboxGround {
    /// As the `[sandbox]` section says, for whoever has these variables.
    pub fn by(
        section: &SandboxSection,
        variables: &BTreeMap<String, String>,
        hidden: Vec<PathBuf>,
    ) -> Self {
        let home = variables.get("HOME").map(PathBuf::from);
        Self {
            home: home.filter(|home| home.is_absolute()),
            hidden,
            outer: section.outer,
            search_path: variables.get("PATH").map(OsString::from),
            readable: section.readable.clone(),
            writable: section.writable.clone(),
        }
    }
}

/// The folders of one process behind walls. Without any, it sees the system's folders alone.
#[derive(Debug, Clone, Default)]
pub struct SandboxRoom {
    /// The folder that may be written to.
    pub workspace: Option<PathBuf>,
    /// A folder of the entry's own that lasts. It is the home that the process sees.
    pub private: Option<PathBuf>,
    /// Code that was installed for this process alone.
    pub package: Option<PackageFolder>,
    /// Programs of the machine that it runs besides its own, by path or by name: each is looked up and
    /// shown as one that is started.
    pub programs: Vec<String>,
}

/// Where a process sees the code that was installed for it. The place is the same wherever the folder
/// lies, since what is installed remembers its place.
pub const PACKAGE_PLACE: &str = "/package";

/// Code that was installed for one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageFolder {
    /// It is being installed.
    Installing(PathBuf),
    /// It can be read.
    Installed(PathBuf),
    /// It can be read, and what the process changes of it goes to a folder of its own, where it lasts.
    Changed {
        code: PathBuf,
        /// What was changed; empty at first.
        changes: PathBuf,
        /// What the kernel needs to change it, on the same file system.
        workspace: PathBuf,
    },
}
