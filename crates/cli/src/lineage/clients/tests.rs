//! What can stand above a shim, and whom that makes its client.

use std::collections::BTreeMap;

use super::*;
use crate::lineage::chain_of;

/// The session that they all are in unless they lead one of their own.
const SESSION: i64 = 100;

/// And the group.
const GROUP: i64 = 101;

/// A few processes above one another.
#[derive(Default)]
struct Family(BTreeMap<u32, Seen>);

impl Family {
    fn with(mut self, pid: u32, parent: u32, words: &str) -> Self {
        let process = Process { pid, start: u64::from(pid) };
        let place = Place { process, parent, group: GROUP, session: SESSION, terminal: 0 };
        let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let program = arguments.first().map(|path| path.rsplit('/').next().unwrap().to_owned());
        let name = program.clone().unwrap();
        let input = Some((1, u64::from(pid)));
        self.0.insert(pid, Seen { place, name, program, arguments, input });
        self
    }

    fn change(mut self, pid: u32, change: impl FnOnce(&mut Seen)) -> Self {
        change(self.0.get_mut(&pid).unwrap());
        self
    }

    fn look(&self) -> impl Fn(u32) -> Option<Seen> {
        |pid| self.0.get(&pid).cloned()
    }

    /// The numbers of the clients of window 50, and whether there may be others.
    fn clients(&self) -> (Vec<u32>, bool) {
        seen(Clients::above_shim(50, self.look()))
    }
}

fn seen(clients: Clients) -> (Vec<u32>, bool) {
    (clients.processes.iter().map(|process| process.pid).collect(), clients.is_hidden)
}

fn desk() -> Family {
    Family::default().with(1, 0, "/sbin/init").with(10, 1, "tmux").with(20, 10, "-bash").with(
        30,
        20,
        "/usr/bin/codex",
    )
}

#[test]
fn the_client_is_the_one_that_started_the_shim() {
    assert_eq!(desk().with(50, 30, "toolgate stdio").clients(), (vec![50, 30], false));
    // Also a shell that somebody types into.
    assert_eq!(desk().with(50, 20, "toolgate stdio").clients(), (vec![50, 20], false));
}

#[test]
fn a_shell_that_was_told_a_command_is_climbed_over() {
    for shell in [
        "sh -c toolgate",
        "/bin/bash -lc toolgate",
        "zsh -ic toolgate",
        "dash -e -c toolgate",
        "bash -o pipefail -c toolgate",
        "ksh -c toolgate",
        "fish --command toolgate",
        "fish --command=toolgate",
        "busybox sh -c toolgate",
    ] {
        let family = desk().with(40, 30, shell).with(50, 40, "toolgate stdio");
        assert_eq!(family.clients(), (vec![50, 40, 30], false), "{shell}");
    }
    let nested = desk().with(40, 30, "sh -c a").with(41, 40, "sh -c b").with(50, 41, "toolgate");
    assert_eq!(nested.clients(), (vec![50, 41, 40, 30], false));
    // By the program too, whatever it calls itself.
    let renamed = desk().with(40, 30, "bash -c a").with(50, 40, "toolgate stdio");
    let renamed = renamed.change(40, |seen| seen.name = "codex".to_owned());
    assert_eq!(renamed.clients(), (vec![50, 40, 30], false));
}

#[test]
fn other_programs_and_other_shells_are_not_climbed_over() {
    for client in ["node -c agent.js", "bash", "-zsh", "bash --norc -i", "fish --no-config", "sh x"]
    {
        let family = desk().with(40, 30, client).with(50, 40, "toolgate stdio");
        assert_eq!(family.clients(), (vec![50, 40], false), "{client}");
    }
}

#[test]
fn whatever_reads_the_shims_own_pipe_only_hands_it_on() {
    let family = desk().with(40, 30, "timeout 1d toolgate").with(50, 40, "toolgate stdio");
    let same = family.change(40, |seen| seen.input = Some((1, 50)));
    assert_eq!(same.clients(), (vec![50, 40, 30], false));
    // Two that read no pipe at all have nothing in common by that.
    let none = same.change(40, |seen| seen.input = None).change(50, |seen| seen.input = None);
    assert_eq!(none.clients(), (vec![50, 40], false));
}

#[test]
fn a_shim_that_was_left_behind_has_a_client_that_nobody_can_tell() {
    // Led by itself, so only the name of who took it in tells.
    let led = |family: Family| family.change(50, |seen| seen.place.session = 50);
    assert_eq!(led(desk().with(50, 1, "toolgate stdio")).clients(), (vec![50], true));
    let manager = desk().with(2, 1, "/usr/lib/systemd/systemd --user");
    assert_eq!(led(manager.with(50, 2, "toolgate stdio")).clients(), (vec![50], true));
    // One that only calls itself so is climbed to, not believed.
    let liar = desk().with(40, 30, "./systemd").with(50, 40, "toolgate stdio");
    assert_eq!(liar.clients(), (vec![50, 40], false));
    // An agent that is the first process of a container is a client like any other.
    let container = Family::default().with(1, 0, "/app/agent").with(50, 1, "toolgate stdio");
    assert_eq!(container.clients(), (vec![50, 1], false));
    // Not so one that the shim fell to, which shows in whose session it is.
    let fell = container.change(50, |seen| seen.place.session = 77);
    assert_eq!(fell.clients(), (vec![50], true));
    let subreaper = desk().with(50, 30, "toolgate stdio");
    let subreaper = subreaper.change(50, |seen| seen.place.session = 77);
    assert_eq!(subreaper.clients(), (vec![50, 30], true));
}

#[test]
fn what_cannot_be_seen_is_hidden() {
    assert_eq!(desk().clients(), (vec![], true));
    assert_eq!(desk().with(50, 0, "toolgate stdio").clients(), (vec![50], true));
    assert_eq!(seen(Clients::of_window(None)), (vec![], true));
    let endless = Family::default().with(50, 50, "sh -c toolgate");
    let (processes, is_hidden) = endless.clients();
    assert_eq!((processes.len(), is_hidden), (LONGEST, true));
}

#[test]
fn a_command_is_its_own_client_unless_a_shell_was_told_to_run_it() {
    let of = |family: Family| seen(Clients::above_command(50, family.look()));
    assert_eq!(of(desk().with(50, 20, "toolgate call")), (vec![50], false));
    assert_eq!(of(desk().with(50, 30, "toolgate call")), (vec![50], false));
    let told = desk().with(40, 30, "bash -c toolgate").with(50, 40, "toolgate call");
    assert_eq!(of(told), (vec![50, 40, 30], false));
    // That shell may be gone.
    assert_eq!(of(desk().with(50, 1, "toolgate call")), (vec![50], true));
    assert_eq!(of(desk()), (vec![], true));
    // Whoever it is that the shell left it to: a person may be below that one as well.
    for first in ["/app/agent", "/bin/sh -c /app/agent", "/bin/sh /app/start"] {
        let container = || Family::default().with(1, 0, first);
        assert_eq!(of(container().with(50, 1, "toolgate call")), (vec![50], true), "{first}");
        let told = container().with(40, 1, "sh -c toolgate").with(50, 40, "toolgate call");
        assert_eq!(of(told), (vec![50, 40], true), "{first}");
    }
    let group = |family: Family, group| family.change(50, |seen| seen.place.group = group);
    let subreaper = || desk().with(50, 30, "toolgate call");
    assert_eq!(of(group(subreaper(), 40)), (vec![50], true));
    assert_eq!(of(group(subreaper(), 50)), (vec![50], false), "it leads one of its own");
}

/// This test has no terminal of its own, or one that it does not read: either way it is told from
/// the one that hides by what is asked of it here.
#[test]
fn where_the_client_hides_only_a_terminal_speaks_for_somebody() {
    let chain = chain_of(std::process::id());
    let hidden = Clients::only(None);
    assert_eq!(hidden.may_have_started(&chain), !chain.has_terminal());
    let own = Clients::only(ancestry::process(std::process::id()));
    assert!(own.may_have_started(&chain));
    let another = Clients::only(Some(Process { pid: std::process::id(), start: 1 }));
    assert!(!another.may_have_started(&chain));
}
