//! The processes at the other ends of TCP connections, where those are on this machine and this
//! user's.
//!
//! The kernel knows every connection by a number, which it tells of one that is asked for and lists of all,
//! and every process shows the numbers of those that it holds. Of several that hold one all count: which of
//! them had it first proves nothing, since a connection can be handed to anybody.

#[cfg(target_os = "linux")]
mod connection_questions;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use toolgate_control::current_uid;
use toolgate_control::procfs::{self, ProcessIdentity};

use super::open_files::{self, OpenFile};

/// Where the kernel lists connections: the second has those of sockets that also speak the older protocol.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// How much of a list of connections is read.
const LONGEST_LIST: u64 = 64 << 20;

/// Both ends of a connection: theirs, and the one it was made to.
pub(super) type ConnectionEnds = (SocketAddr, SocketAddr);

/// A line of the list: one end of a connection, or of none yet where it is listened for some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TcpRow {
    ends: ConnectionEnds,
    listens: bool,
    owner: u32,
    number: u64,
}

/// How the kernel writes that a socket listens.
const LISTENS: &str = "0A";

/// For each connection to us all who hold its other end. Nobody where that cannot be told: they are
/// elsewhere, another user's, do not let themselves be looked at, or are gone. Whoever is `known`
/// already is looked at first, and where one of them holds it the others are left for later.
pub(super) fn holders(
    connections: &[ConnectionEnds],
    known: &[ProcessIdentity],
) -> Vec<Vec<ProcessIdentity>> {
    let numbers = numbers(connections);
    let mut found = among_known(&numbers, known);
    let wanted = numbers.iter().flatten().filter(|number| !found.contains_key(number)).copied();
    found.extend(all_holders(&wanted.collect()));
    let holders = |number: &Option<u64>| number.and_then(|number| found.get(&number).cloned());
    numbers.iter().map(|number| holders(number).unwrap_or_default()).collect()
}

/// The numbers of these connections' other ends, as far as they are listed and this user's.
fn numbers(connections: &[ConnectionEnds]) -> Vec<Option<u64>> {
    let owner = current_uid();
    let mut numbers = asked_singly(connections, owner);
    for table in TABLES {
        // The kernel goes through all that a list could ever hold to write down the few that it does.
        if numbers.iter().all(Option::is_some) {
            break;
        }
        let listed = listed_in(table);
        for (ends, number) in connections.iter().zip(&mut numbers) {
            *number = number.or_else(|| listed.iter().find_map(|row| row.number_of(ends, owner)));
        }
    }
    numbers
}

/// The same as far as the kernel answers a question for one.
#[cfg(target_os = "linux")]
fn asked_singly(connections: &[ConnectionEnds], owner: u32) -> Vec<Option<u64>> {
    let questions = connection_questions::ConnectionQuestions::open();
    let asked = |ends| questions.as_ref()?.number_of(ends, owner);
    connections.iter().map(asked).collect()
}

#[cfg(not(target_os = "linux"))]
fn asked_singly(connections: &[ConnectionEnds], _owner: u32) -> Vec<Option<u64>> {
    vec![None; connections.len()]
}

/// Everybody who is connected to one of these gates now, by the gate.
pub(super) fn callers_of(gates: &[u32]) -> BTreeMap<u32, Vec<ProcessIdentity>> {
    if gates.is_empty() {
        return BTreeMap::new();
    }
    let (listed, owner) = (listed(), current_uid());
    let mut theirs: BTreeMap<u64, u32> = BTreeMap::new();
    for gate in gates {
        let own: BTreeSet<u64> = sockets(*gate).collect();
        let own: Vec<&TcpRow> = listed.iter().filter(|line| own.contains(&line.number)).collect();
        let ports = own.iter().filter(|line| line.listens).map(|line| line.ends.0.port());
        let ports: BTreeSet<u16> = ports.collect();
        // Not those that it made itself: servers are at the other ends of these.
        let is_accepted = |line: &&&TcpRow| !line.listens && ports.contains(&line.ends.0.port());
        let accepted = own.iter().filter(is_accepted).copied();
        let other_end = |line: &TcpRow| {
            let ends = (line.ends.1, line.ends.0);
            listed.iter().find_map(|other| other.number_of(&ends, owner))
        };
        theirs.extend(accepted.filter_map(other_end).map(|number| (number, *gate)));
    }
    let mut callers: BTreeMap<u32, Vec<ProcessIdentity>> = BTreeMap::new();
    for (number, holders) in all_holders(&theirs.keys().copied().collect()) {
        if let Some(gate) = theirs.get(&number) {
            callers.entry(*gate).or_default().extend(holders);
        }
    }
    callers
}

fn sockets(pid: u32) -> impl Iterator<Item = u64> {
    open_files::of(pid).into_iter().filter_map(|held| match held {
        OpenFile::Socket(number) => Some(number),
        OpenFile::FarSide(_) => None,
    })
}

/// Which of these connections are held by processes that are known and still there.
fn among_known(
    numbers: &[Option<u64>],
    known: &[ProcessIdentity],
) -> BTreeMap<u64, Vec<ProcessIdentity>> {
    let mut found: BTreeMap<u64, Vec<ProcessIdentity>> = BTreeMap::new();
    if numbers.iter().all(Option::is_none) {
        return found;
    }
    for process in known.iter().filter(|known| procfs::process(known.pid) == Some(**known)) {
        for number in sockets(process.pid).filter(|number| numbers.contains(&Some(*number))) {
            found.entry(number).or_default().push(*process);
        }
    }
    found
}

fn all_holders(numbers: &BTreeSet<u64>) -> BTreeMap<u64, Vec<ProcessIdentity>> {
    let mut found: BTreeMap<u64, Vec<ProcessIdentity>> = BTreeMap::new();
    if numbers.is_empty() {
        return found;
    }
    for (process, held) in open_files::of_this_user() {
        if let OpenFile::Socket(number) = held
            && numbers.contains(&number)
        {
            found.entry(number).or_default().push(process);
        }
    }
    found
}

/// Every end of a connection that this machine has.
fn listed() -> Vec<TcpRow> {
    TABLES.into_iter().flat_map(listed_in).collect()
}

fn listed_in(table: &str) -> Vec<TcpRow> {
    let Ok(file) = File::open(table) else { return Vec::new() };
    let lines = BufReader::new(file.take(LONGEST_LIST)).lines();
    lines.map_while(Result::ok).filter_map(|line| TcpRow::read(&line)).collect()
}

impl TcpRow {
    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split_ascii_whitespace();
        let from = address(fields.nth(1)?)?;
        let to = address(fields.next()?)?;
        let listens = fields.next()? == LISTENS;
        let owner = fields.nth(3)?.parse().ok()?;
        let number = fields.nth(1)?.parse().ok()?;
        Some(Self { ends: (from, to), listens, owner, number })
    }

    /// Its number if it is the end from the first to the second, and this user's: the end that is
    /// ours stands in a line of its own.
    fn number_of(&self, ends: &ConnectionEnds, owner: u32) -> Option<u64> {
        let is_it = same(self.ends.0, ends.0) && same(self.ends.1, ends.1);
        // A connection that nobody holds any more has none.
        (is_it && self.owner == owner && self.number != 0).then_some(self.number)
    }
}

/// Whether two addresses are one, in whichever protocol each is written.
fn same(one: SocketAddr, other: SocketAddr) -> bool {
    (one.ip().to_canonical(), one.port()) == (other.ip().to_canonical(), other.port())
}

/// An address as the kernel writes it: words in the order of this machine, the port as a number.
fn address(text: &str) -> Option<SocketAddr> {
    let (words, port) = text.split_once(':')?;
    let word = |at: usize| {
        let digits = words.get(8 * at..8 * (at + 1))?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let ip = match words.len() {
        8 => IpAddr::from(Ipv4Addr::from(word(0)?)),
        32 => {
            let bytes = [word(0)?, word(1)?, word(2)?, word(3)?].concat();
            IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?))
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests;
