//! The process at the other end of a TCP connection, where that is on this machine and this user's.
//!
//! The kernel lists every connection with a number, and every process shows the numbers of those that
//! it holds. Of several that hold it the oldest counts: the others have it from that one.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use crate::ancestry::{self, Process};
use crate::rundir::uid;

/// How much of a list of connections is read.
const LONGEST_LIST: u64 = 64 << 20;

/// How many open files of all processes are looked at.
const MOST_FILES: usize = 1 << 20;

/// The process that opened this connection to us. `None` where it cannot be told: it is elsewhere,
/// another user's, does not let itself be looked at, or is gone.
pub(crate) fn tcp_peer(peer: SocketAddr, local: SocketAddr) -> Option<Process> {
    if !(peer.ip().to_canonical().is_loopback() && local.ip().to_canonical().is_loopback()) {
        return None;
    }
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let number = tables.into_iter().find_map(|table| {
        let lines = BufReader::new(File::open(table).ok()?.take(LONGEST_LIST)).lines();
        lines.map_while(Result::ok).find_map(|line| number_in(&line, peer, local, uid()))
    })?;
    let mut budget = MOST_FILES;
    let mut holding: Vec<Process> = ancestry::of_this_user()
        .filter(|pid| holds(*pid, number, &mut budget))
        .filter_map(ancestry::process)
        .collect();
    holding.sort_by_key(|process| process.start);
    holding.first().copied()
}

/// The number of the connection from `peer` to `local` if this line is about it: from the one end to
/// the other, since the end that is ours stands in a line of its own.
fn number_in(line: &str, peer: SocketAddr, local: SocketAddr, owner: u32) -> Option<u64> {
    let mut fields = line.split_ascii_whitespace();
    let from = address(fields.nth(1)?)?;
    let to = address(fields.next()?)?;
    let same = |one: SocketAddr, other: SocketAddr| {
        (one.ip().to_canonical(), one.port()) == (other.ip().to_canonical(), other.port())
    };
    if !(same(from, peer) && same(to, local)) {
        return None;
    }
    let user: u32 = fields.nth(4)?.parse().ok()?;
    let number = fields.nth(1)?.parse().ok()?;
    // A connection that nobody holds any more has none.
    (user == owner && number != 0).then_some(number)
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

/// Whether a process has the connection of this number open.
fn holds(pid: u32, number: u64, budget: &mut usize) -> bool {
    let name = format!("socket:[{number}]");
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    for file in files {
        let Some(left) = budget.checked_sub(1) else { return false };
        *budget = left;
        if fs::read_link(file.path()).is_ok_and(|target| target == Path::new(&name)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
