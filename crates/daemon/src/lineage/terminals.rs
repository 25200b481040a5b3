//! Who sits at a terminal, as far as the system tells: a pseudo terminal has a far side, and whoever
//! holds that types into it and reads what it shows.
//!
//! A terminal window, a multiplexer or a remote login holds it for a person. So does an agent that
//! runs a program under `script`, for nobody.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_control::procfs::{self, ProcessIdentity, ProcessPlace};

use super::left_behind::is_left_behind;
use super::open_files::{self, OpenFile, PSEUDO_TERMINALS};

/// A terminal and those behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TerminalHolders {
    /// Whoever holds its far side; and where those have a terminal themselves, whoever holds that.
    pub(super) holders: Vec<ProcessIdentity>,
    /// Nobody can sit there: what holds the far side was left behind, and shows it to nobody.
    pub(super) is_deserted: bool,
}

impl TerminalHolders {
    /// What is behind the terminal of the process at this place; nothing where it has none.
    pub(super) fn of(place: &ProcessPlace) -> Self {
        match pseudo(place.terminal) {
            Some(_) => Self::among(place, &far_sides(), procfs::place, is_deserted),
            None => Self::default(),
        }
    }

    fn among(
        place: &ProcessPlace,
        far_sides: &BTreeMap<u32, Vec<ProcessIdentity>>,
        look: impl Fn(u32) -> Option<ProcessPlace>,
        is_deserted: impl Fn(u32) -> bool,
    ) -> Self {
        let mut behind = Self::default();
        let (mut seen, mut next) = (BTreeSet::new(), vec![*place]);
        while let Some(place) = next.pop() {
            let terminal = pseudo(place.terminal).filter(|terminal| seen.insert(*terminal));
            let Some(holders) = terminal.and_then(|terminal| far_sides.get(&terminal)) else {
                continue;
            };
            if behind.holders.is_empty() {
                behind.is_deserted = holders.iter().all(|holder| is_deserted(holder.pid));
            }
            behind.holders.extend(holders);
            next.extend(holders.iter().filter_map(|holder| look(holder.pid)));
        }
        behind
    }
}

/// Whether nobody sees what this process shows: it has no terminal of its own, was left behind by
/// whoever started it, and is connected to nothing.
pub(super) fn is_deserted(pid: u32) -> bool {
    let has_terminal = procfs::place(pid).is_some_and(|place| place.terminal != 0);
    !has_terminal && is_left_behind(pid) && !open_files::shows_something(pid)
}

fn far_sides() -> BTreeMap<u32, Vec<ProcessIdentity>> {
    let mut far_sides: BTreeMap<u32, Vec<ProcessIdentity>> = BTreeMap::new();
    for (holder, held) in open_files::of_this_user() {
        if let OpenFile::FarSide(terminal) = held {
            far_sides.entry(terminal).or_default().push(holder);
        }
    }
    far_sides
}

/// The number of a pseudo terminal among the others.
fn pseudo(terminal: i64) -> Option<u32> {
    let (kind, number) = device(terminal)?;
    (kind == PSEUDO_TERMINALS).then(|| u32::try_from(number).ok()).flatten()
}

/// The two numbers of a terminal that the kernel writes as one; zero is none.
pub(super) fn device(terminal: i64) -> Option<(u64, u64)> {
    let bits = u64::from(u32::try_from(terminal & 0xffff_ffff).ok().filter(|bits| *bits != 0)?);
    Some(((bits >> 8) & 0xfff, (bits & 0xff) | ((bits >> 12) & 0xf_ff00)))
}

#[cfg(test)]
mod tests;
