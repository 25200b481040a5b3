//! The walls around one process, with everything looked up: what it will see, where it may write,
//! what it reaches, how much it may use.
//!
//! The parent plans them, and `reap::confine` builds them without a decision of its own. Every path in
//! a plan is real: no link is followed when it is opened.

mod bubblewrap;
mod codec;
mod folder_view;
#[cfg(target_os = "linux")]
mod learned_settings;
#[cfg(target_os = "linux")]
mod learning_view;
mod package_view;
#[cfg(target_os = "linux")]
mod private_places;
mod program_view;
mod protected;
mod root_view;
mod system_view;

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::{getegid, geteuid};
use toolgate_types::config::{Confinement, NetworkAccess, OuterWall, ResourceLimits};

#[cfg(target_os = "linux")]
pub(crate) use codec::{CodecReader, CodecWriter};
#[cfg(target_os = "linux")]
pub use learned_settings::LearnedSettings;
pub(crate) use root_view::RootView;

use crate::{SandboxGround, SandboxRoom, SpawnError, WallError};

/// What the outer wall is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OuterStage {
    /// Namespaces of its own, around a root of its own.
    Namespaces,
    /// The same, built by `bwrap`: where the system lets that have namespaces, and not us.
    Bubblewrap,
    /// The container that all of this runs in, by the person's word.
    Container,
}

/// What one process is kept within.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Walls {
    pub(crate) outer: OuterStage,
    /// The file of `bwrap`, where that builds the outer wall.
    pub(crate) bubblewrap: Option<CString>,
    /// Whose process it is, in numbers; behind the walls it is nobody else's.
    pub(crate) user: u32,
    pub(crate) group: u32,
    /// What the process sees as the root, in the order of building.
    pub(crate) steps: Vec<RootStep>,
    /// Where it may write, as it sees these places. Landlock holds it, whatever the mounts say.
    pub(crate) writable: Vec<CString>,
    /// What may not come into being there.
    pub(crate) creations: Option<CreationRules>,
    /// What of the network it reaches; of names it is told by its first process.
    pub(crate) network: NetworkAccess,
    /// Whether what it uses is written down: a run to learn from. The way to the network is then the gate's
    /// alone, as with a network of names.
    pub(crate) learns: bool,
    pub(crate) limits: ResourceLimits,
}

/// Names that must not come into being in the workspace, as the process sees the places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CreationRules {
    /// The workspace.
    pub(crate) root: CString,
    /// Other places that may be written to and that the workspace lies in. A list of the kernel's that lets
    /// things be made there would let them be made in the workspace too.
    pub(crate) around: Vec<CString>,
    /// Folders in it with nothing protected in them, nor right beside.
    pub(crate) free: Vec<CString>,
    /// Each a folder, and a name in it that nobody makes.
    pub(crate) protected: Vec<(CString, CString)>,
    /// Each a name that may be made empty, and not be brought from elsewhere.
    pub(crate) only_made: Vec<(CString, CString)>,
}

/// One thing to put into the new root. Places are absolute, as the process will see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RootStep {
    /// A folder or file of the machine, with everything that is mounted below it.
    Show {
        source: CString,
        at: CString,
        is_writable: bool,
        is_folder: bool,
    },
    /// A folder of the machine that is not changed: what the process changes goes elsewhere.
    Overlay {
        at: CString,
        lower: CString,
        upper: CString,
        work: CString,
    },
    /// An empty folder that may be written to and is gone afterwards.
    Scratch {
        at: CString,
        bytes: u64,
    },
    /// An empty folder in the place of another.
    Empty {
        at: CString,
    },
    /// A file of our own words.
    Text {
        at: CString,
        text: CString,
    },
    /// An empty file in the place of another.
    Blank {
        at: CString,
    },
    Link {
        at: CString,
        to: CString,
    },
}

impl Walls {
    /// Whether it is on the machine's own network.
    pub(crate) fn is_on_network(&self) -> bool {
        self.network == NetworkAccess::Everything && !self.learns
    }

    /// Whether the gate is asked for every connection.
    pub(crate) fn asks_gate(&self) -> bool {
        self.learns || matches!(self.network, NetworkAccess::Named(_))
    }

    /// Whether it is in a process tree of its own, which ends with its first process, and sees a root of
    /// its own.
    pub(crate) fn has_own_tree(&self) -> bool {
        self.outer.has_own_tree()
    }

    /// Whether it has no network at all, not even one of names.
    pub(crate) fn is_offline(&self) -> bool {
        self.network.is_off()
    }

    /// What is protected in its workspace, seen from there; in the order of the list.
    pub(crate) fn protected_names(&self) -> Vec<String> {
        let Some(rules) = &self.creations else { return Vec::new() };
        let path = |text: &CString| PathBuf::from(OsStr::from_bytes(text.to_bytes()));
        let root = path(&rules.root);
        let names = rules.protected.iter().chain(&rules.only_made).map(|(folder, name)| {
            let whole = path(folder).join(path(name));
            whole.strip_prefix(&root).unwrap_or(&whole).display().to_string()
        });
        names.collect()
    }

    /// The walls that a confinement means here, for these programs in this folder.
    pub(crate) fn of(
        confinement: &Confinement,
        (ground, room): (&SandboxGround, &SandboxRoom),
        programs: &[PathBuf],
        folder: &Path,
    ) -> Result<Self, SpawnError> {
        let mut view = RootView::default();
        system_view::show_system(&mut view);
        if let NetworkAccess::Named(_) = &confinement.network {
            system_view::resolve_inside(&mut view);
        }
        folder_view::show_folders(&mut view, confinement, ground, room)?;
        if let Some(package) = &room.package {
            package_view::show_package(&mut view, package, ground.outer)?;
        }
        for program in programs {
            program_view::show_program(&mut view, program, ground)?;
        }
        Self::around(view, confinement, (ground, room), folder)
    }

    /// Wide ones, to learn from what is used within them.
    #[cfg(target_os = "linux")]
    pub(crate) fn to_learn_from(
        confinement: &Confinement,
        (ground, room): (&SandboxGround, &SandboxRoom),
        programs: &[PathBuf],
        folder: &Path,
    ) -> Result<Self, SpawnError> {
        let mut view = RootView::default();
        learning_view::show_nearly_everything(&mut view, ground, room)?;
        system_view::resolve_inside(&mut view);
        for program in programs {
            program_view::show_program(&mut view, program, ground)?;
        }
        let walls = Self::around(view, confinement, (ground, room), folder)?;
        match walls.has_own_tree() {
            true => Ok(Self { network: NetworkAccess::Everything, learns: true, ..walls }),
            false => Err(WallError::LearnInContainer.into()),
        }
    }

    fn around(
        view: RootView,
        confinement: &Confinement,
        (ground, room): (&SandboxGround, &SandboxRoom),
        folder: &Path,
    ) -> Result<Self, SpawnError> {
        let outer = outer_stage(ground.outer);
        if !view.shows(folder) {
            return Err(WallError::FolderUnseen(folder.to_owned()).into());
        }
        let projects: Vec<&Path> = room.workspace.as_deref().into_iter().chain([folder]).collect();
        let bubblewrap = match outer {
            OuterStage::Bubblewrap => {
                Some(text_of(&bubblewrap::find(ground.search_path.as_deref(), &projects)?)?)
            }
            OuterStage::Namespaces | OuterStage::Container => None,
        };
        let writable = view.writable(outer);
        let creations = match &room.workspace {
            Some(workspace) => protected::creation_rules(workspace, &writable)?,
            None => None,
        };
        Ok(Self {
            outer,
            bubblewrap,
            user: geteuid().as_raw(),
            group: getegid().as_raw(),
            steps: view.into_steps(&confinement.limits)?,
            writable,
            creations,
            network: network_of(confinement, outer)?,
            learns: false,
            limits: confinement.limits,
        })
    }
}

impl OuterStage {
    pub(crate) fn has_own_tree(self) -> bool {
        match self {
            Self::Namespaces | Self::Bubblewrap => true,
            Self::Container => false,
        }
    }
}

/// Never weaker than what was asked for. Whether `auto` means `bwrap` after all is known once our own was
/// refused.
fn outer_stage(wall: OuterWall) -> OuterStage {
    match wall {
        OuterWall::Auto | OuterWall::Builtin => OuterStage::Namespaces,
        OuterWall::Container => OuterStage::Container,
        OuterWall::Bwrap => OuterStage::Bubblewrap,
    }
}

/// None named is nothing. What is named needs a network of its own to be alone in.
fn network_of(confinement: &Confinement, outer: OuterStage) -> Result<NetworkAccess, WallError> {
    match (&confinement.network, outer) {
        (named, _) if named.is_off() => Ok(NetworkAccess::Off),
        (NetworkAccess::Named(_), OuterStage::Container) => Err(WallError::NamesInContainer),
        (access, _) => Ok(access.clone()),
    }
}

/// A path as system calls take it.
fn text_of(path: &Path) -> Result<CString, WallError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| WallError::Nul(path.to_owned()))
}
