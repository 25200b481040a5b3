//! What this system can do for walls, found out by building some.

mod advice;

use std::io;
use std::path::PathBuf;

use toolgate_types::config::{NetworkAccess, SandboxProfile};

use crate::{Description, ProcessSpawner, SpawnConditions, SpawnError};

/// What there is to build walls from.
#[derive(Debug)]
pub struct SandboxSupport {
    /// Why there are none.
    pub trouble: Option<SpawnError>,
    /// Whether `bwrap` builds the outer one.
    pub uses_bubblewrap: bool,
    /// Where the kernel itself holds whole trees to their memory and processes; `None` is nowhere.
    pub limit_groups: Option<PathBuf>,
    /// How much of Landlock the kernel knows; `None` is nothing.
    pub landlock: Option<u32>,
    /// What the system forbids, where it says so.
    pub forbidden: Option<ForbiddenNamespaces>,
}

/// Why a process may not have namespaces of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenNamespaces {
    /// The kernel has been told to let nobody have any.
    None,
    /// Only the administrator may, by a setting of Debian's kernels.
    OnlyRoot,
    /// Only programs with a profile of their own may, as on Ubuntu.
    AppArmor,
}

/// The settings that say so, and the value that means it.
const SETTINGS: [(&str, &str, ForbiddenNamespaces); 3] = [
    ("/proc/sys/user/max_user_namespaces", "0", ForbiddenNamespaces::None),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", ForbiddenNamespaces::OnlyRoot),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", ForbiddenNamespaces::AppArmor),
];

/// What came with each version of Landlock, as far as walls use it.
const LANDLOCK_PARTS: [(u32, &str); 6] = [
    (1, "files"),
    (2, "links and moves between folders"),
    (3, "cutting files short"),
    (4, "TCP ports"),
    (5, "requests to devices"),
    (6, "signals and abstract sockets"),
];

impl SandboxSupport {
    /// Starts a program that does nothing behind walls.
    pub async fn find(spawner: &ProcessSpawner, nothing: &Description) -> Self {
        let mut conditions = SpawnConditions::unconfined();
        conditions.confinement.profile = SandboxProfile::Default;
        conditions.confinement.network = NetworkAccess::Off;
        let trouble = match spawner.spawn(nothing, &conditions).await {
            Ok(mut child) => {
                child.wait().await;
                None
            }
            Err(error) => Some(error),
        };
        let said = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let forbidden = SETTINGS.into_iter().find(|(file, value, _)| said(file).trim() == *value);
        Self {
            trouble,
            uses_bubblewrap: spawner.uses_bubblewrap(),
            limit_groups: limit_groups(),
            landlock: landlock().ok(),
            forbidden: forbidden.map(|(.., why)| why),
        }
    }

    /// What a newer kernel's Landlock would hold, and this one's does not; the other walls do.
    pub fn landlock_lacks(&self) -> Vec<&'static str> {
        let known = self.landlock.unwrap_or_default();
        let lacking = LANDLOCK_PARTS.into_iter().filter(|(version, _)| *version > known);
        lacking.map(|(_, part)| part).collect()
    }
}

/// Where one could be made, which is tried.
#[cfg(target_os = "linux")]
fn limit_groups() -> Option<PathBuf> {
    let place = crate::limit_group::place()?;
    let limits = toolgate_types::config::ResourceLimits::default();
    let group = crate::limit_group::LimitGroup::make(&place, std::process::id(), &limits);
    group.ok()?.remove();
    Some(place)
}

#[cfg(not(target_os = "linux"))]
fn limit_groups() -> Option<PathBuf> {
    None
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no library asks without making a list")]
fn landlock() -> io::Result<u32> {
    const ASK_VERSION: u32 = 1;
    let none = std::ptr::null::<u8>();
    // SAFETY: takes numbers and no memory; answers a number.
    let version = unsafe {
        nix::libc::syscall(nix::libc::SYS_landlock_create_ruleset, none, 0_usize, ASK_VERSION)
    };
    u32::try_from(version).map_err(|_| io::Error::last_os_error())
}

#[cfg(not(target_os = "linux"))]
fn landlock() -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_kernel_does_not_hold_is_named() {
        let support = |landlock| SandboxSupport {
            trouble: None,
            uses_bubblewrap: false,
            limit_groups: None,
            landlock,
            forbidden: None,
        };
        assert!(support(Some(6)).landlock_lacks().is_empty());
        let lacks = support(Some(3)).landlock_lacks();
        assert_eq!(lacks, ["TCP ports", "requests to devices", "signals and abstract sockets"]);
        assert_eq!(support(None).landlock_lacks().len(), 6);
    }
}
