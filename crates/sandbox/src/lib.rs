//! Starts a process and sees to it that nothing of it stays behind.
//!
//! The only crate that may spawn a process and the only one that may use `unsafe`; a tidy check
//! holds both. It does not decide whether something may run: the guard does. It reads no
//! configuration and no environment: the caller brings both.
//!
//! # Walls
//!
//! A process with the profile `default` stands behind walls (Linux). The caller plans nothing: it names
//! the confinement of an entry, the room (workspace, a folder that lasts) and, once, the ground that all
//! walls are built by. `walls` turns these into a root that is looked up path by path, and
//! `reap::confine` builds it in the process that becomes the first one of new user, mount, process,
//! network, ipc and host name namespaces; that process stays, reaps, and watches how much the tree uses.
//! The program's own process then gives up every privilege, goes by Landlock's list, and can no longer
//! make the system calls that `reap::confine::syscalls` names. A wall that cannot be built is an error,
//! never a start without it.
//!
//! # What ends with what
//!
//! On Linux the program stands below two small processes of this crate, each a child subreaper:
//!
//! ```text
//! us ── outer reaper ── inner reaper ── program ── whatever it starts
//!  └──────── one socket ───────┘
//! ```
//!
//! A descendant cannot leave the tree: one whose parent ends falls to the inner reaper, or to the
//! outer one if the inner is gone. So the whole tree ends, also what forked twice, called `setsid`
//! and ignores every signal it can,
//!
//! - when [`ChildProcess`] is dropped or shut down,
//! - when our process ends in any way, `kill -9` included: the socket closes and both reapers see it,
//! - when either reaper is killed: the other one notices and ends the tree.
//!
//! Not covered: both reapers killed at the same moment. The program itself is killed by the kernel
//! even then and its process group by us, if we are still there; a descendant that left the group is
//! not found. Nor a descendant that changed its user (`sudo`), which we may not signal; nor one that
//! has an older process start something for it (`systemd-run`, `docker run`, `at`). Nor the end of
//! our process while a copy of it, forked and never executed, keeps the socket open. Without a
//! mounted `/proc` only the process group is ended. Other systems than Linux have the process group
//! alone.
//!
//! One thing is meant to stay: what [`detach`] starts belongs to nobody.

mod child;
mod core_file;
mod description;
mod detach;
mod embedders_walls;
mod environment;
mod error;
mod exit;
mod forgone_network;
mod ground;
#[cfg(not(target_os = "linux"))]
mod grouped;
#[cfg(target_os = "linux")]
mod guarded;
mod helper;
mod init;
#[cfg(target_os = "linux")]
mod learned;
#[cfg(target_os = "linux")]
mod limit_group;
#[cfg(target_os = "linux")]
pub mod network;
mod network_listener;
mod plan;
mod program;
#[cfg(target_os = "linux")]
mod protocol;
mod quiet_memory;
#[cfg(target_os = "linux")]
mod reap;
mod refusal;
mod seatbelt;
mod signal;
mod spawner;
mod stdio;
mod support;
mod view;
mod wall_error;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only planned there"))]
mod walls;

pub use child::ChildProcess;
pub use core_file::leave_no_core_file;
pub use description::Description;
pub use detach::{DetachedProgram, detach};
pub use embedders_walls::{EmbeddersWalls, Enclosed};
pub use environment::Environment;
pub use error::{SandboxFault, SpawnError};
pub use exit::{PassedLimit, ProgramExit};
pub use forgone_network::forgo_network;
pub use ground::{PACKAGE_PLACE, PackageFolder, SandboxGround, SandboxRoom};
pub use helper::{HelperError, HelperPath};
pub use init::init;
#[cfg(target_os = "linux")]
pub use learned::{LearnedAccess, LearningLog};
pub use network_listener::{NetworkListener, NetworkLog};
pub use program::{ProgramError, ProgramSearch};
pub use quiet_memory::give_back_quiet_memory;
pub use refusal::WallRefusal;
pub use signal::{Signal, SignalError};
pub use spawner::{ProcessSpawner, SpawnConditions};
pub use support::{ForbiddenNamespaces, SandboxSupport};
pub use view::SandboxView;
pub use wall_error::WallError;
#[cfg(target_os = "linux")]
pub use walls::LearnedSettings;
// Named from here, so that no other crate has a reason to name `tokio::process`.
pub use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

#[cfg(not(target_os = "linux"))]
use grouped::GroupedTree as GuardedTree;
#[cfg(target_os = "linux")]
use guarded::GuardedTree;
