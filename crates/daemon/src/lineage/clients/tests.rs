//! What can stand above a shim, and whom that makes its client.

use std::collections::BTreeMap;

use toolgate_control::{current_uid, procfs};

use super::super::left_behind::left_behind;
use super::*;
use crate::lineage::chain_of;

/// The session that they all are in unless they lead one of their own: that of the shell which
/// somebody types into.
const SESSION: i64 = 20;

/// A terminal, as the kernel numbers them.
const TERMINAL: i64 = 34816;

/// And the group.
const GROUP: i64 = 101;

/// A few processes above one another.
#[derive(Default)]
struct Family(BTreeMap<u32, SeenProcess>);

impl Family {
    fn with(mut self, pid: u32, parent: u32, words: &str) -> Self {
        let process = ProcessIdentity { pid, start: u64::from(pid) };
        let place = ProcessPlace { process, parent, group: GROUP, session: SESSION, terminal: 0 };
        let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let program = arguments
            .first()
            .map(|path| path.rsplit('/').next().unwrap().trim_start_matches('-').to_owned());
        let name = program.clone().unwrap();
        let input = Some((1, u64::from(pid)));
        let (owner, is_the_systems, is_gate) = (Some(current_uid()), false, false);
        let seen =
            SeenProcess { place, name, program, arguments, input, owner, is_the_systems, is_gate };
        self.0.insert(pid, seen);
        self
    }

    fn change(mut self, pid: u32, change: impl FnOnce(&mut SeenProcess)) -> Self {
        change(self.0.get_mut(&pid).unwrap());
        self
    }

    fn look(&self) -> impl Fn(u32) -> Option<SeenProcess> {
        |pid| self.0.get(&pid).cloned()
    }

    /// The numbers of the clients of window 50, and whether there may be others.
    fn clients(&self) -> (Vec<u32>, bool) {
        seen(AgentClients::above_shim(50, self.look()))
    }
}

fn seen(clients: AgentClients) -> (Vec<u32>, bool) {
    (clients.processes.iter().map(|process| process.pid).collect(), clients.is_hidden)
}

/// Somebody types into a shell, and has started an agent from it.
fn desk() -> Family {
    let family = Family::default().with(1, 0, "/sbin/init").with(10, 1, "tmux");
    let family = family.with(20, 10, "-bash").change(20, |seen| seen.place.terminal = TERMINAL);
    family.with(30, 20, "/usr/bin/codex")
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
fn other_programs_and_other_shells_are_clients_and_so_is_who_started_them() {
    for client in ["node -c agent.js", "bash", "-zsh", "bash --norc -i", "fish --no-config", "sh x"]
    {
        let family = desk().with(40, 30, client).with(50, 40, "toolgate stdio");
        let clients = AgentClients::above_shim(50, family.look());
        assert_eq!(clients.heads.iter().map(|head| head.pid).collect::<Vec<_>>(), [40], "{client}");
        // Whatever it is, it may stand between the client and the shim with a pipe of its own.
        assert_eq!(seen(clients), (vec![50, 40, 30], false), "{client}");
    }
}

#[test]
fn whatever_reads_the_shims_own_pipe_only_hands_it_on() {
    let family = desk().with(40, 30, "timeout 1d toolgate").with(50, 40, "toolgate stdio");
    let same = family.change(40, |seen| seen.input = Some((1, 50)));
    assert_eq!(same.clients(), (vec![50, 40, 30], false));
    // Two that read no pipe at all have nothing in common by that.
    let none = same.change(40, |seen| seen.input = None).change(50, |seen| seen.input = None);
    assert_eq!(none.clients(), (vec![50, 40, 30], false));
}

/// What the window belongs to, over the number of its shim.
fn heads(family: &Family) -> Vec<u32> {
    let clients = AgentClients::above_shim(50, family.look());
    clients.heads.iter().map(|head| head.pid).collect()
}

#[test]
fn climbing_ends_where_a_person_may_sit() {
    let window = |family: Family| family.with(50, 30, "toolgate stdio");
    // A terminal was opened for the agent itself.
    let own = || {
        desk().change(30, |seen| {
            seen.place.session = 30;
            seen.place.terminal = TERMINAL;
        })
    };
    let in_it = |family: Family| family.change(50, |seen| seen.place.session = 30);
    assert_eq!(in_it(window(own())).clients(), (vec![50, 30], false));
    // It counts too where something lies between: only shells are typed into.
    let between = own().with(40, 30, "wrapper").with(50, 40, "toolgate stdio");
    let between = between.change(40, |seen| seen.place.session = 30);
    assert_eq!(
        between.change(50, |seen| seen.place.session = 30).clients(),
        (vec![50, 40, 30], false)
    );
    // A shell that was told a command leads the session that `script` opens, and is not typed into.
    let script =
        desk().with(40, 30, "script").with(41, 40, "sh -c toolgate").with(50, 41, "toolgate");
    let script = script.change(41, |seen| {
        seen.place.session = 41;
        seen.place.terminal = TERMINAL + 1;
    });
    let script = script.change(50, |seen| seen.place.session = 41);
    assert_eq!(script.clients(), (vec![50, 41, 40, 30], false));
    assert_eq!(heads(&script), [40]);
    // Another user's, and a gate's own servers.
    let another = window(desk().change(20, |seen| seen.place.terminal = 0));
    assert_eq!(another.clients(), (vec![50, 30, 20, 10], false));
    let root = another.change(20, |seen| seen.owner = Some(current_uid() + 1));
    assert_eq!(root.clients(), (vec![50, 30], false));
    let server = root
        .change(20, |seen| seen.owner = Some(current_uid()))
        .change(20, |seen| seen.is_gate = true);
    assert_eq!(server.clients(), (vec![50, 30], false));
}

#[test]
fn a_desktop_is_known_by_a_file_that_is_not_the_persons() {
    let shown = Family::default().with(1, 0, "/sbin/init").with(10, 1, "/usr/bin/xfce4-panel");
    let shown = shown.with(30, 10, "/opt/editor").with(50, 30, "toolgate stdio");
    assert_eq!(shown.clients(), (vec![50, 30, 10], false), "it only calls itself so");
    let shown = shown.change(10, |seen| seen.is_the_systems = true);
    assert_eq!(shown.clients(), (vec![50, 30], false));
    let wrapped = shown.change(10, |seen| seen.program = Some(".gnome-shell-wrapped".to_owned()));
    assert_eq!(wrapped.clients(), (vec![50, 30], false));
    let other = wrapped.change(10, |seen| seen.program = Some("launcher".to_owned()));
    assert_eq!(other.clients(), (vec![50, 30, 10], false));
}

#[test]
fn all_who_hold_a_connection_are_its_clients_with_those_above_them() {
    let of = |family: &Family, holders: &[u32]| {
        let process = |pid: &u32| ProcessIdentity { pid: *pid, start: u64::from(*pid) };
        let holders: Vec<ProcessIdentity> = holders.iter().map(process).collect();
        AgentClients::above_holders(&holders, family.look())
    };
    let family = desk().with(40, 30, "sh -c curl").with(50, 40, "curl").with(60, 20, "curl");
    assert_eq!(seen(of(&family, &[30])), (vec![30], false));
    assert_eq!(seen(of(&family, &[50])), (vec![50, 40, 30], false));
    // Whoever types it is a person, and that one holds nothing.
    assert_eq!(seen(of(&family, &[60])), (vec![60], false));
    let both = of(&family, &[60, 50]);
    assert_eq!(both.heads.iter().map(|head| head.pid).collect::<Vec<_>>(), [60, 50]);
    assert_eq!(seen(both), (vec![60, 50, 40, 30], false));
    // Nobody holds it, or whoever did is another by now.
    assert_eq!(seen(of(&family, &[])), (vec![], true));
    assert_eq!(seen(of(&family, &[70])), (vec![], true));
    let other =
        AgentClients::above_holders(&[ProcessIdentity { pid: 50, start: 1 }], family.look());
    assert_eq!(seen(other), (vec![], true));
}

#[test]
fn a_process_is_left_behind_where_all_that_ran_it_is_gone() {
    let left = |family: &Family| left_behind(50, family.look());
    assert!(left(&desk().with(50, 1, "toolgate approve")));
    assert!(left(&desk().with(40, 1, "sh -c toolgate").with(50, 40, "toolgate approve")));
    assert!(left(&desk().with(40, 1, "sh left.sh").with(50, 40, "toolgate approve")));
    let manager = desk().with(2, 1, "/usr/lib/systemd/systemd --user");
    assert!(left(&manager.with(50, 2, "toolgate approve")));
    // It fell to something that takes in what its children leave.
    let subreaper = desk().with(50, 30, "toolgate approve");
    assert!(!left(&subreaper));
    assert!(left(&subreaper.change(50, |seen| seen.place.session = 77)));
    // Somebody is there, or nobody can tell.
    assert!(!left(&desk().with(50, 20, "toolgate approve")));
    assert!(!left(&desk().with(40, 1, "node agent.js").with(50, 40, "toolgate approve")));
    assert!(!left(&desk().with(50, 0, "toolgate approve")), "from outside a container");
    assert!(!left(&desk()));
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
    assert_eq!(liar.clients(), (vec![50, 40, 30], false));
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
    assert_eq!(seen(AgentClients::of_window(None)), (vec![], true));
    let endless = Family::default().with(50, 50, "sh -c toolgate");
    let (processes, is_hidden) = endless.clients();
    assert_eq!((processes.len(), is_hidden), (LONGEST, true));
}

#[test]
fn a_command_is_its_own_client_unless_a_shell_was_told_to_run_it() {
    let of = |family: Family| seen(AgentClients::above_command(50, family.look()));
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
    let hidden = AgentClients::only(None);
    assert_eq!(hidden.may_have_started(&chain), !chain.has_terminal());
    let own = AgentClients::only(procfs::process(std::process::id()));
    assert!(own.may_have_started(&chain));
    let another = AgentClients::only(Some(ProcessIdentity { pid: std::process::id(), start: 1 }));
    assert!(!another.may_have_started(&chain));
}
