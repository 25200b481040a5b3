//! The requesting clients of a window or a connection: the process that started the shim, or those
//! that hold the connection, found by looking and never by what they say.
//!
//! An entry for `toolgate stdio` may have come with a cloned repository, and with it something that
//! stands between the client and the shim, so as to be taken for the client. What only hands things
//! on is climbed over: a shell that was told a command, and whatever reads the very pipe that the
//! shim reads. Something with a pipe of its own looks like a client, so everybody above counts too,
//! up to where a person may sit: the shell that leads a terminal's session, whatever belongs to the
//! desktop or to another user, and the system's first process.

use toolgate_control::current_uid;
use toolgate_control::procfs::{self, FileIdentity, ProcessIdentity, ProcessPlace};
use toolgate_types::Requester;

use super::chain::{Chain, LONGEST};
use super::gates;

/// Shells, by the names of their programs.
const SHELLS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "ksh93", "mksh", "ash", "busybox", "tcsh", "csh",
    "nu", "elvish", "xonsh", "pwsh",
];

/// What a person's programs are started by on a desktop, agents and terminals alike, where that is
/// not the first process. Believed only of files that are the system's.
const DESKTOPS: [&str; 22] = [
    "gnome-shell",
    "gnome-session-binary",
    "plasmashell",
    "ksmserver",
    "krunner",
    "kwin_x11",
    "kwin_wayland",
    "xfce4-session",
    "xfce4-panel",
    "xfdesktop",
    "xfwm4",
    "cinnamon",
    "mate-session",
    "mate-panel",
    "lxqt-session",
    "lxqt-panel",
    "openbox",
    "i3",
    "sway",
    "dwm",
    "awesome",
    "Hyprland",
];

/// The first process of a system, where it is nobody's client.
const INITS: [&str; 12] = [
    "systemd",
    "init",
    "launchd",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "s6-svscan",
    "bwrap",
    // What keeps a container open starts nothing itself.
    "sleep",
    "tail",
    "pause",
];

/// The processes whose descendants have no say about what a window or a command asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clients {
    /// The one at the other end first, then those above it.
    pub(crate) processes: Vec<ProcessIdentity>,
    /// Those of them that ask: who uses a window through all the others, who holds a connection.
    pub(crate) heads: Vec<ProcessIdentity>,
    /// Who it was that started it cannot be told any more.
    pub(crate) is_hidden: bool,
}

/// A process, as far as this question goes.
#[derive(Debug, Clone)]
struct Seen {
    place: ProcessPlace,
    name: String,
    program: Option<String>,
    arguments: Vec<String>,
    input: Option<FileIdentity>,
    owner: Option<u32>,
    /// Its file is the system's, which this user cannot have written.
    is_the_systems: bool,
    is_gate: bool,
}

impl Clients {
    /// Those of a window, by the number of the process that attached.
    pub(crate) fn of_window(pid: Option<u32>) -> Self {
        pid.map_or_else(Self::hidden, |pid| Self::above_shim(pid, Seen::of))
    }

    /// Those of a command that somebody runs. Who types it, or has a script that does, is not held
    /// for an agent; agents have a shell run it.
    pub(crate) fn of_command(pid: Option<u32>) -> Self {
        pid.map_or_else(Self::hidden, |pid| Self::above_command(pid, Seen::of))
    }

    /// Those of a connection, by who holds it; nobody is one that cannot be found.
    pub(crate) fn of_connection(holders: &[ProcessIdentity]) -> Self {
        Self::above_holders(holders, Seen::of)
    }

    /// This one and nobody above it; none is one that cannot be found.
    pub(crate) fn only(process: Option<ProcessIdentity>) -> Self {
        process.map_or_else(Self::hidden, |process| Self {
            processes: vec![process],
            heads: vec![process],
            is_hidden: false,
        })
    }

    fn hidden() -> Self {
        Self { processes: Vec::new(), heads: Vec::new(), is_hidden: true }
    }

    /// Whether the process of this chain may be theirs. Where they hide, that is everybody without a
    /// terminal; where the system does not tell who descends from whom, it is nobody.
    pub(crate) fn may_have_started(&self, chain: &Chain) -> bool {
        let is_hidden = self.is_hidden && !chain.has_terminal();
        chain.is_told() && (chain.descends_from(&self.processes) || is_hidden)
    }

    /// As a call carries them.
    pub(crate) fn requester(&self) -> Requester {
        let processes = self.processes.iter().map(|process| (process.pid, process.start));
        Requester::Processes { processes: processes.collect(), is_hidden: self.is_hidden }
    }

    /// These and those, where it does not matter which is whose.
    pub(crate) fn and(mut self, others: &[ProcessIdentity]) -> Self {
        let new = others.iter().filter(|other| !self.processes.contains(other));
        let new: Vec<ProcessIdentity> = new.copied().collect();
        self.processes.extend(new);
        self
    }

    fn above_holders(holders: &[ProcessIdentity], look: impl Fn(u32) -> Option<Seen>) -> Self {
        let mut clients = Self::hidden();
        for holder in holders {
            let Some(seen) = look(holder.pid).filter(|seen| seen.place.process == *holder) else {
                continue;
            };
            clients.is_hidden = false;
            clients.heads.push(*holder);
            clients.push(*holder);
            clients.climb(seen, &look);
        }
        clients
    }

    fn push(&mut self, process: ProcessIdentity) {
        if !self.processes.contains(&process) {
            self.processes.push(process);
        }
    }

    fn above_shim(pid: u32, look: impl Fn(u32) -> Option<Seen>) -> Self {
        Self::above(pid, look, Seen::took_in)
    }

    fn above_command(pid: u32, look: impl Fn(u32) -> Option<Seen>) -> Self {
        let command = look(pid);
        let parent = command.as_ref().and_then(|command| look(command.place.parent));
        match (command, parent) {
            // A shell that is gone left it to whoever took it in.
            (Some(command), Some(parent))
                if parent.hands_on_to(&command) || parent.may_have_taken_in(&command.place) =>
            {
                Self::above(pid, look, Seen::may_have_taken_in)
            }
            (command, _) => Self::only(command.map(|command| command.place.process)),
        }
    }

    /// Everybody up to the first who hands nothing on, or to one that is nobody's client.
    fn above(
        pid: u32,
        look: impl Fn(u32) -> Option<Seen>,
        took_in: impl Fn(&Seen, &ProcessPlace) -> bool,
    ) -> Self {
        let Some(shim) = look(pid) else { return Self::hidden() };
        let mut clients = Self::only(Some(shim.place.process));
        clients.heads.clear();
        let mut below = shim.place;
        loop {
            let parent = look(below.parent).filter(|_| clients.processes.len() < LONGEST);
            let Some(parent) = parent.filter(|parent| !took_in(parent, &below)) else {
                clients.is_hidden = true;
                return clients;
            };
            clients.processes.push(parent.place.process);
            clients.is_hidden |= parent.is_stranger_to(&below);
            if !parent.hands_on_to(&shim) {
                clients.heads.push(parent.place.process);
                clients.climb(parent, look);
                return clients;
            }
            below = parent.place;
        }
    }

    /// Everybody above a client, up to where a person may sit.
    fn climb(&mut self, client: Seen, look: impl Fn(u32) -> Option<Seen>) {
        let mut below = client;
        while !below.is_gate && !below.has_a_terminal_for_itself() {
            let parent = look(below.place.parent).filter(|_| self.processes.len() < LONGEST);
            let Some(parent) = parent.filter(|parent| !parent.is_where_a_person_may_sit(&below))
            else {
                return;
            };
            self.push(parent.place.process);
            below = parent;
        }
    }
}

/// Whether whoever started this process is gone and it fell to one that takes in all such, over the
/// shells that ran it, unless somebody types into one of them.
pub(super) fn is_left_behind(pid: u32) -> bool {
    left_behind(pid, Seen::of)
}

fn left_behind(pid: u32, look: impl Fn(u32) -> Option<Seen>) -> bool {
    let mut below = look(pid);
    for _ in 0..LONGEST {
        let Some(child) = &below else { return false };
        let Some(parent) = look(child.place.parent) else { return false };
        let is_first = parent.place.process.pid == 1;
        if is_first || parent.took_in(&child.place) || parent.is_stranger_to(&child.place) {
            return true;
        }
        if !parent.is_shell() || parent.has_a_terminal_for_itself() {
            return false;
        }
        below = Some(parent);
    }
    true
}

impl Seen {
    fn of(pid: u32) -> Option<Self> {
        let arguments = procfs::arguments(pid);
        Some(Self {
            place: procfs::place(pid)?,
            name: procfs::name(pid),
            program: procfs::program(pid),
            input: procfs::input(pid),
            owner: procfs::owner(pid),
            is_the_systems: procfs::runs_the_systems_file(pid),
            is_gate: gates::is_gate(pid, &arguments),
            arguments,
        })
    }

    /// A program that a terminal was opened for leads its session; nobody but that terminal is above
    /// it. A shell that was told a command there is not meant by it.
    fn has_a_terminal_for_itself(&self) -> bool {
        let ProcessPlace { process, session, terminal, .. } = self.place;
        session == i64::from(process.pid) && terminal != 0 && !self.is_told_a_command()
    }

    /// Whether climbing ends below it: what it started besides may well be a person's.
    fn is_where_a_person_may_sit(&self, child: &Self) -> bool {
        (self.is_shell() && self.has_a_terminal_for_itself())
            || self.owner != Some(current_uid())
            || self.is_gate
            || self.is_of_the_desktop()
            // Whatever the first process is, somebody's terminal may be below it as well.
            || self.place.process.pid == 1
            || self.took_in(&child.place)
    }

    fn is_of_the_desktop(&self) -> bool {
        let program = self.program.as_deref().unwrap_or_default();
        // As some distributions call what a script of theirs starts.
        let wrapped = program.strip_prefix('.').and_then(|name| name.strip_suffix("-wrapped"));
        self.is_the_systems && DESKTOPS.contains(&wrapped.unwrap_or(program))
    }

    /// Whether it stands between a client and what the client meant to start.
    fn hands_on_to(&self, started: &Self) -> bool {
        self.is_told_a_command() || (self.input.is_some() && self.input == started.input)
    }

    /// A shell with `-c`, alone or among other letters. One that somebody types into has none.
    fn is_told_a_command(&self) -> bool {
        self.is_shell() && self.arguments.iter().skip(1).any(|word| says_command(word))
    }

    fn is_shell(&self) -> bool {
        let names = [Some(&self.name), self.program.as_ref()];
        names.into_iter().flatten().any(|name| SHELLS.contains(&name.as_str()))
    }

    /// Whether it did not start that one but got it later, as the next above whoever did. A process
    /// is in the session of the one that started it, unless it leads one of its own.
    fn is_stranger_to(&self, child: &ProcessPlace) -> bool {
        let leads = child.session == i64::from(child.process.pid);
        !leads && child.session != self.place.session
    }

    /// Whether it is one of those that all processes fall to which are left behind: a person's
    /// processes are below it too.
    fn took_in(&self, child: &ProcessPlace) -> bool {
        let is_init = INITS.contains(&self.name.as_str()) || self.name.starts_with("init(");
        match (self.place.process.pid, self.place.parent) {
            (1, _) => is_init || self.is_stranger_to(child),
            // The one that systemd has for each user.
            (_, 1) => self.name == "systemd",
            _ => false,
        }
    }

    /// Whether that may be so of what a command is below. A window below the first process of a
    /// container may be that one's own; a command below it was as likely left behind by its shell.
    /// A process is in the group of the one that started it too, unless it leads one or stands in a
    /// pipe that somebody typed: those have a terminal to be asked at.
    fn may_have_taken_in(&self, child: &ProcessPlace) -> bool {
        let leads = child.group == i64::from(child.process.pid);
        let is_of_another = !leads && child.group != self.place.group;
        self.place.process.pid == 1 || is_of_another || self.took_in(child)
    }
}

fn says_command(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let has_letter = |letters: &str| {
        letters.contains('c') && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    letters.is_some_and(has_letter) || word == "--command" || word.starts_with("--command=")
}

#[cfg(test)]
mod tests;
