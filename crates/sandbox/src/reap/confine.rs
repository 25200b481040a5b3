//! Building the walls that the parent planned, and going behind them (Linux).
//!
//! [`fork_within`] makes the process that becomes the first one behind the outer wall, and it builds the
//! new root with [`raise`]. The program's own process then gives up the rest with [`enter`], last before
//! it is executed. Nothing is decided here, and any failure ends the process.

mod bubblewrap;
mod creation;
mod landlock;
mod limits;
mod loopback;
mod mount_calls;
mod mounts;
mod names;
mod namespaces;
mod privileges;
mod syscalls;

pub(super) use bubblewrap::BubblewrapOrder;
pub(super) use creation::{CreationDesk, ask_about_creations, let_go_on_until};
pub(super) use limits::LimitWatch;
pub(super) use namespaces::fork_within;
pub(super) use syscalls::SyscallFilter;
pub(crate) use syscalls::refuse_network_sockets;

use nix::errno::Errno;
use nix::unistd::{getpid, sethostname};

use crate::network::InsideListeners;
use crate::walls::{OuterStage, Walls};

/// The name of every sandbox's machine.
const HOST_NAME: &str = "sandbox";

/// In the first process behind the outer wall: the new root, and nothing of the old one. Where the network
/// is one of names, it listens for them from now on.
pub(super) fn raise(walls: &Walls) -> nix::Result<Option<InsideListeners>> {
    let listeners = match walls.outer {
        OuterStage::Container => return Ok(None),
        // It is there already. What is not the first process is not where it should be.
        OuterStage::Bubblewrap if getpid().as_raw() != 1 => return Err(Errno::ECHILD),
        OuterStage::Bubblewrap => names::listen(walls)?,
        OuterStage::Namespaces => {
            namespaces::map_user(walls)?;
            sethostname(HOST_NAME)?;
            if !walls.is_on_network() {
                loopback::raise()?;
            }
            let listeners = names::listen(walls)?;
            limits::cap_processes(&walls.limits);
            mounts::build(&walls.steps)?;
            listeners
        }
    };
    // It stays, and makes things in the stead of others: with no more privileges than they have.
    privileges::give_up()?;
    landlock::enter(walls)?;
    Ok(listeners)
}

/// In the program's own process, last before it is executed.
pub(super) fn enter(walls: &Walls, filter: &SyscallFilter) -> Result<(), Errno> {
    limits::apply(&walls.limits)?;
    match walls.outer {
        OuterStage::Namespaces | OuterStage::Bubblewrap => landlock::enter_making_nothing(walls)?,
        OuterStage::Container => {
            privileges::give_up()?;
            landlock::enter(walls)?;
        }
    }
    filter.apply()
}
