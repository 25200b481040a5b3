//! The second wall around files: what the mounts allow is allowed once more, by the kernel's own list
//! (Landlock), as much of it as this kernel knows.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
    make_bitflags,
};
use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use crate::walls::{CreationRules, OuterStage, RootStep, Walls};

/// The newest that this was written for. An older kernel holds what it knows of it.
const NEWEST: ABI = ABI::V7;

/// What brings a name into being, or a folder's own under another one.
const MAKING: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    MakeChar | MakeDir | MakeReg | MakeSock | MakeFifo | MakeBlock | MakeSym
});

pub(super) fn enter(walls: &Walls) -> nix::Result<()> {
    let held = restrict(walls, None).map_err(|_| Errno::EACCES)?;
    match (held, walls.outer) {
        // Without namespaces there is no other wall around files.
        (RulesetStatus::NotEnforced, OuterStage::Container) => Err(Errno::ENOSYS),
        _ => Ok(()),
    }
}

/// The same, and nothing may be made in folders where a name could be a protected one: somebody else
/// makes it there.
pub(super) fn enter_making_nothing(walls: &Walls) -> nix::Result<()> {
    match &walls.creations {
        Some(rules) => restrict(walls, Some(rules)).map(drop).map_err(|_| Errno::EACCES),
        None => Ok(()),
    }
}

fn restrict(
    walls: &Walls,
    rules_of_making: Option<&CreationRules>,
) -> Result<RulesetStatus, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    if walls.outer == OuterStage::Container && !walls.is_on_network() {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut rules = ruleset.create()?;
    let read = AccessFs::from_read(NEWEST);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::Truncate;
    match walls.outer {
        OuterStage::Namespaces | OuterStage::Bubblewrap => {
            rules = rules.add_rule(PathBeneath::new(place(b"/")?, read))?;
        }
        OuterStage::Container => {
            let shown = walls.steps.iter().filter_map(|step| match step {
                RootStep::Show { source, is_folder, .. } => Some((source, *is_folder)),
                _ => None,
            });
            for (source, is_folder) in shown {
                let access = if is_folder { read } else { AccessFs::ReadFile | AccessFs::Execute };
                rules = rules.add_rule(PathBeneath::new(place(source.to_bytes())?, access))?;
            }
            rules = rules.add_rule(PathBeneath::new(place(b"/proc/self")?, read))?;
        }
    }
    for name in
        [b"/dev/null".as_slice(), b"/dev/zero", b"/dev/full", b"/dev/random", b"/dev/urandom"]
    {
        rules = rules.add_rule(PathBeneath::new(place(name)?, device))?;
    }
    for writable in &walls.writable {
        let path = Path::new(OsStr::from_bytes(writable.to_bytes()));
        let makes = rules_of_making.is_none_or(|making| !making.watches(writable));
        let all = match path.is_dir() {
            true if makes => AccessFs::from_all(NEWEST),
            true => AccessFs::from_all(NEWEST) & !MAKING,
            false => AccessFs::from_file(NEWEST),
        };
        if let Ok(place) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(place, all))?;
        }
    }
    let folder_itself = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    for free in rules_of_making.iter().flat_map(|making| &making.free) {
        let all = AccessFs::from_all(NEWEST);
        // A link in its place could lead to where nothing may be made. The call that follows none at all is
        // not there any more in this process.
        if let Ok(folder) = open(free.as_c_str(), folder_itself, Mode::empty()) {
            rules = rules.add_rule(PathBeneath::new(folder, all))?;
        }
    }
    Ok(rules.restrict_self()?.ruleset)
}

impl CreationRules {
    /// Whether names in this very folder are looked at, or in one that lies in it.
    fn watches(&self, folder: &CString) -> bool {
        *folder == self.root
            || self.around.contains(folder)
            || self.protected.iter().any(|(parent, _)| parent == folder)
    }
}

fn place(path: &[u8]) -> Result<PathFd, RulesetError> {
    PathFd::new(Path::new(OsStr::from_bytes(path))).map_err(|_| {
        RulesetError::CreateRuleset(landlock::CreateRulesetError::MissingHandledAccess)
    })
}
