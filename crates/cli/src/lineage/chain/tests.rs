//! Chains as they could be, and our own as it is.

use std::os::unix::process::parent_id;

use super::*;

fn process(pid: u32, start: u64) -> Process {
    Process { pid, start }
}

/// Seven below five below one, with names that somebody chose.
fn family() -> Chain {
    let place = |pid: u32| {
        let parent = match pid {
            7 => 5,
            5 => 1,
            1 => 0,
            _ => return None,
        };
        let process = process(pid, u64::from(pid) * 10);
        Some(Place { process, parent, group: 1, session: 1, terminal: 0 })
    };
    follow(7, place, |pid| format!("p{pid}"))
}

#[test]
fn a_process_descends_from_itself_and_from_everybody_above_it() {
    let chain = family();
    for above in [process(7, 70), process(5, 50), process(1, 10)] {
        assert!(chain.descends_from(&[process(9, 90), above]), "{above:?}");
    }
    assert!(!chain.descends_from(&[process(9, 90)]));
    assert!(!chain.descends_from(&[]));
    assert_eq!(chain.to_string(), "p7(7) < p5(5) < p1(1)");
}

#[test]
fn a_number_that_came_back_is_another_process() {
    assert!(!family().descends_from(&[process(5, 51)]));
    assert!(!family().descends_from(&[process(5, 49)]));
}

#[test]
fn a_chain_without_an_end_is_cut_and_could_be_anybodys() {
    let circle = |pid: u32| {
        let process = process(pid, 1);
        Some(Place { process, parent: 3 - pid, group: 1, session: 1, terminal: 0 })
    };
    let chain = follow(1, circle, |_| "x".to_owned());
    assert_eq!(chain.links.len(), LONGEST);
    assert!(chain.descends_from(&[process(9, 90)]));
    let shown = chain.to_string();
    assert_eq!(shown.matches(" < ").count(), SHOWN, "{shown}");
    assert!(shown.ends_with(" < …"), "{shown}");
}

#[test]
fn a_process_that_is_not_there_could_be_anybodys() {
    let chain = chain_of(0);
    assert!(chain.is_told() && !chain.has_terminal());
    assert!(chain.descends_from(&[process(9, 90)]));
    assert_eq!(chain.to_string(), "…");
}

#[test]
fn our_own_chain_leads_over_our_parent_to_the_first_process() {
    let chain = chain_of(std::process::id());
    let own = ancestry::process(std::process::id()).unwrap();
    let parent = ancestry::process(parent_id()).unwrap();
    assert_eq!((chain.links[0].process, chain.links[1].process), (own, parent));
    assert!(chain.descends_from(&[parent]) && !chain.is_cut);
    let shown = format!("{}({}) < ", ancestry::name(own.pid), own.pid);
    assert!(chain.to_string().starts_with(&shown), "{chain}");
}

/// As the kernel packs them: the first 8 bits of the minor number lie below the major one.
#[test]
fn a_terminal_is_known_by_both_its_numbers() {
    assert_eq!(device(0), None);
    assert_eq!(device(34816), Some((136, 0)));
    assert_eq!(device(34816 + 7), Some((136, 7)));
    assert_eq!(device((0x12 << 20) | 34816 | 0x34), Some((136, 0x1234)));
    assert_eq!(device(i64::from(i32::MIN)), Some((0, 0x80000)));
}

/// A program that runs until it is killed.
struct Sleeper(std::process::Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_has_a_terminal_where_it_reads_the_one_that_is_its_own() {
    use pty_process::blocking::{Command, open};
    let (pty, pts) = open().unwrap();
    let reads = Sleeper(Command::new("sleep").arg("600").spawn(pts).unwrap());
    assert!(chain_of(reads.0.id()).has_terminal());
    // It has one and reads something else.
    let (other, pts) = open().unwrap();
    let input = std::process::Stdio::null();
    let deaf = Sleeper(Command::new("sleep").arg("600").stdin(input).spawn(pts).unwrap());
    assert_ne!(ancestry::place(deaf.0.id()).unwrap().terminal, 0);
    assert!(!chain_of(deaf.0.id()).has_terminal());
    drop((pty, other));
}
