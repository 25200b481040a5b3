//! The requesting client of a window: the process that started the shim, found by looking and never
//! by what the shim says.
//!
//! An entry for `toolgate stdio` may have come with a cloned repository, and with it something that
//! stands between the client and the shim, so as to be taken for the client. What only hands things
//! on is climbed over: a shell that was told a command, and whatever reads the very pipe that the
//! shim reads, since a client makes a pipe of its own.

use toolgate_types::Requester;

use super::chain::{Chain, LONGEST};
use crate::ancestry::{self, FileId, Place, Process};

/// Shells, by the names of their programs.
const SHELLS: [&str; 10] =
    ["sh", "bash", "dash", "zsh", "fish", "ksh", "ksh93", "mksh", "ash", "busybox"];

/// The first process of a system, where it is nobody's client.
const INITS: [&str; 9] = [
    "systemd",
    "init",
    "launchd",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "s6-svscan",
    "bwrap",
];

/// The processes whose descendants have no say about what a window or a command asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clients {
    /// The one at the other end first, then those above it.
    pub(crate) processes: Vec<Process>,
    /// Who it was that started it cannot be told any more.
    pub(crate) is_hidden: bool,
}

/// A process, as far as this question goes.
#[derive(Debug, Clone)]
struct Seen {
    place: Place,
    name: String,
    program: Option<String>,
    arguments: Vec<String>,
    input: Option<FileId>,
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

    /// This one and nobody above it; none is one that cannot be found.
    pub(crate) fn only(process: Option<Process>) -> Self {
        process.map_or_else(Self::hidden, |process| Self {
            processes: vec![process],
            is_hidden: false,
        })
    }

    fn hidden() -> Self {
        Self { processes: Vec::new(), is_hidden: true }
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

    /// The one that uses a window through all the others.
    pub(crate) fn user(&self) -> Option<Process> {
        self.processes.get(1..)?.last().copied()
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
        took_in: impl Fn(&Seen, &Place) -> bool,
    ) -> Self {
        let Some(shim) = look(pid) else { return Self::hidden() };
        let mut clients = Self::only(Some(shim.place.process));
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
                return clients;
            }
            below = parent.place;
        }
    }
}

impl Seen {
    fn of(pid: u32) -> Option<Self> {
        Some(Self {
            place: ancestry::place(pid)?,
            name: ancestry::name(pid),
            program: ancestry::program(pid),
            arguments: ancestry::arguments(pid),
            input: ancestry::input(pid),
        })
    }

    /// Whether it stands between a client and what the client meant to start.
    fn hands_on_to(&self, started: &Self) -> bool {
        self.is_told_a_command() || (self.input.is_some() && self.input == started.input)
    }

    /// A shell with `-c`, alone or among other letters. One that somebody types into has none.
    fn is_told_a_command(&self) -> bool {
        let names = [Some(&self.name), self.program.as_ref()];
        let is_shell = names.into_iter().flatten().any(|name| SHELLS.contains(&name.as_str()));
        is_shell && self.arguments.iter().skip(1).any(|word| says_command(word))
    }

    /// Whether it did not start that one but got it later, as the next above whoever did. A process
    /// is in the session of the one that started it, unless it leads one of its own.
    fn is_stranger_to(&self, child: &Place) -> bool {
        let leads = child.session == i64::from(child.process.pid);
        !leads && child.session != self.place.session
    }

    /// Whether it is one of those that all processes fall to which are left behind: a person's
    /// processes are below it too.
    fn took_in(&self, child: &Place) -> bool {
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
    fn may_have_taken_in(&self, child: &Place) -> bool {
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
