//! What this system can do for walls in words, and what to do where it can do nothing.

use std::path::Path;

use super::{ForbiddenNamespaces, SandboxSupport};
use crate::SpawnError;

/// A profile that lets a program have namespaces of its own, for systems that ask for one.
const APPARMOR_PROFILE: &str = "\
this system lets only programs with an AppArmor profile have namespaces; write /etc/apparmor.d/toolgate:
  abi <abi/4.0>,
  profile toolgate EXECUTABLE flags=(unconfined) {
    userns,
  }
and load it with: sudo apparmor_parser -r /etc/apparmor.d/toolgate
or install bubblewrap, if it has such a profile here: then bwrap builds the walls";

impl SandboxSupport {
    /// What walls are of here.
    pub fn summary(&self) -> String {
        let outer = match self.uses_bubblewrap {
            true => "walls are built by bwrap",
            false => "walls are built in",
        };
        let landlock = match (self.landlock, self.landlock_lacks()) {
            (Some(version), lacks) if lacks.is_empty() => format!("Landlock {version}"),
            (Some(version), lacks) => {
                format!("Landlock {version} (this kernel's does not hold: {})", lacks.join(", "))
            }
            (None, _) => "no Landlock".to_owned(),
        };
        let group = self.limit_groups.as_ref();
        let group = group.map(|place| format!("a control group in {}, ", place.display()));
        format!(
            "{outer}: namespaces, {landlock}, refused system calls; limits by {}rlimit and by watching \
             the tree",
            group.unwrap_or_default()
        )
    }

    /// What the person can do where there are none. `own` is the program that builds them.
    pub fn advice(&self, own: &Path) -> String {
        // Where bwrap was asked for, what it needs is all that counts.
        if let Some(trouble @ (SpawnError::Walls(_) | SpawnError::Unbuilt)) = &self.trouble
            && let Some(hint) = trouble.hint()
        {
            return hint.to_owned();
        }
        let words = match self.forbidden {
            Some(ForbiddenNamespaces::None) => {
                "allow namespaces: sudo sysctl user.max_user_namespaces=10000"
            }
            Some(ForbiddenNamespaces::OnlyRoot) => {
                "allow namespaces: sudo sysctl kernel.unprivileged_userns_clone=1"
            }
            Some(ForbiddenNamespaces::AppArmor) => {
                return APPARMOR_PROFILE.replace("EXECUTABLE", &own.display().to_string());
            }
            None => {
                "within a container that forbids namespaces, `[sandbox] outer = \"container\"` in your \
                 own file says that the container is the outer wall"
            }
        };
        words.to_owned()
    }
}
