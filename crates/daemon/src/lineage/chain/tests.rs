//! Chains as they could be, and our own as it is.

use std::os::unix::process::parent_id;

use super::*;

fn process(pid: u32, start: u64) -> ProcessIdentity {
    ProcessIdentity { pid, start }
}

/// Seven below five below one, with names that somebody chose.
fn family() -> ProcessChain {
    let place = |pid: u32| {
        let parent = match pid {
            7 => 5,
            5 => 1,
            1 => 0,
            _ => return None,
        };
        let process = process(pid, u64::from(pid) * 10);
        Some(ProcessPlace { process, parent, group: 1, session: 1, terminal: 0 })
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

/// A terminal is typed into by whoever holds its far side.
#[test]
fn whoever_is_behind_its_terminal_is_as_good_as_above_it() {
    let mut chain = family();
    chain.behind = vec![process(9, 90)];
    assert!(chain.descends_from(&[process(9, 90)]) && chain.lies_below(&[process(9, 90)]));
    assert!(chain.lies_below(&[process(5, 50)]));
    assert!(!chain.lies_below(&[process(7, 70)]), "nobody lies below itself");
    assert!(chain.is_of(process(7, 70)) && !chain.is_of(process(5, 50)));
}

#[test]
fn who_was_left_behind_is_nobodys_unless_somebody_sits_there() {
    let mut chain = family();
    assert!(!chain.is_nobodys());
    chain.is_left_behind = true;
    assert!(chain.is_nobodys());
    chain.has_terminal = true;
    assert!(!chain.is_nobodys());
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
        Some(ProcessPlace { process, parent: 3 - pid, group: 1, session: 1, terminal: 0 })
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
    let own = procfs::process(std::process::id()).unwrap();
    let parent = procfs::process(parent_id()).unwrap();
    assert_eq!((chain.links[0].process, chain.links[1].process), (own, parent));
    assert!(chain.descends_from(&[parent]) && !chain.is_cut);
    let shown = format!("{}({}) < ", procfs::name(own.pid), own.pid);
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
    assert_ne!(procfs::place(deaf.0.id()).unwrap().terminal, 0);
    assert!(!chain_of(deaf.0.id()).has_terminal());
    drop((pty, other));
}

/// What holds the far side of its terminal was left behind, and shows it to nobody.
#[test]
fn a_terminal_that_nobody_can_see_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("pid");
    let inner = format!("echo $$ >{}; exec sleep 600", told.display());
    let script = format!("script -qec \"{inner}\" /dev/null");
    // Quoted for the shell that is told it, which leaves it behind at once.
    let line = format!("setsid sh -c '{script}' </dev/null >/dev/null 2>&1 & exit 0");
    let line = line.replace("$$", "\\$\\$");
    let status = std::process::Command::new("sh").args(["-c", &line]).status().unwrap();
    assert!(status.success());
    let pid = loop {
        let text = fs::read_to_string(&told).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n').and_then(|pid| pid.parse().ok()) {
            break pid;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    let place = procfs::place(pid).unwrap();
    let (chain, reads) = (chain_of(pid), reads_its_terminal(&place));
    let kill = std::process::Command::new("kill").arg(pid.to_string()).status().unwrap();
    assert!(kill.success());
    assert!(reads && chain.is_nobodys(), "{chain:?}");
}
