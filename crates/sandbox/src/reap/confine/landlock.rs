//! The second wall around files: what the mounts allow is allowed once more, by the kernel's own list
//! (Landlock), as much of it as this kernel knows.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use nix::errno::Errno;

use crate::walls::{OuterStage, RootStep, Walls};

/// The newest that this was written for. An older kernel holds what it knows of it.
const NEWEST: ABI = ABI::V7;

pub(super) fn enter(walls: &Walls) -> nix::Result<()> {
    let held = restrict(walls).map_err(|_| Errno::EACCES)?;
    match (held, walls.outer) {
        // Without namespaces there is no other wall around files.
        (RulesetStatus::NotEnforced, OuterStage::Container) => Err(Errno::ENOSYS),
        _ => Ok(()),
    }
}

fn restrict(walls: &Walls) -> Result<RulesetStatus, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    if walls.outer == OuterStage::Container && !walls.on_network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut rules = ruleset.create()?;
    let read = AccessFs::from_read(NEWEST);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::Truncate;
    match walls.outer {
        OuterStage::Namespaces => {
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
        let all = match path.is_dir() {
            true => AccessFs::from_all(NEWEST),
            false => AccessFs::from_file(NEWEST),
        };
        if let Ok(place) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(place, all))?;
        }
    }
    Ok(rules.restrict_self()?.ruleset)
}

fn place(path: &[u8]) -> Result<PathFd, RulesetError> {
    PathFd::new(Path::new(OsStr::from_bytes(path))).map_err(|_| {
        RulesetError::CreateRuleset(landlock::CreateRulesetError::MissingHandledAccess)
    })
}
