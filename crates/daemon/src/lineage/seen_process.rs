//! A process as it is seen from outside: whether it only hands things on, whether a person may sit at
//! it, whether it took in what others left behind.

use toolgate_control::current_uid;
use toolgate_control::procfs::{self, FileIdentity, ProcessPlace};

use super::gate_verb::is_gate;
use super::known_programs::{DESKTOPS, INITS, SHELLS};

/// A process, as far as this question goes.
#[derive(Debug, Clone)]
pub(super) struct SeenProcess {
    pub(super) place: ProcessPlace,
    pub(super) name: String,
    pub(super) program: Option<String>,
    pub(super) arguments: Vec<String>,
    pub(super) input: Option<FileIdentity>,
    pub(super) owner: Option<u32>,
    /// Its file is the system's, which this user cannot have written.
    pub(super) is_the_systems: bool,
    pub(super) is_gate: bool,
}

impl SeenProcess {
    pub(super) fn of(pid: u32) -> Option<Self> {
        let arguments = procfs::arguments(pid);
        Some(Self {
            place: procfs::place(pid)?,
            name: procfs::name(pid),
            program: procfs::program(pid),
            input: procfs::input(pid),
            owner: procfs::owner(pid),
            is_the_systems: procfs::runs_the_systems_file(pid),
            is_gate: is_gate(pid, &arguments),
            arguments,
        })
    }

    /// A program that a terminal was opened for leads its session; nobody but that terminal is above
    /// it. A shell that was told a command there is not meant by it.
    pub(super) fn has_a_terminal_for_itself(&self) -> bool {
        let ProcessPlace { process, session, terminal, .. } = self.place;
        session == i64::from(process.pid) && terminal != 0 && !self.is_told_a_command()
    }

    /// Whether climbing ends below it: what it started besides may well be a person's.
    pub(super) fn is_where_a_person_may_sit(&self, child: &Self) -> bool {
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
    pub(super) fn hands_on_to(&self, started: &Self) -> bool {
        self.is_told_a_command() || (self.input.is_some() && self.input == started.input)
    }

    /// A shell with `-c`, alone or among other letters. One that somebody types into has none.
    fn is_told_a_command(&self) -> bool {
        self.is_shell() && self.arguments.iter().skip(1).any(|word| says_command(word))
    }

    pub(super) fn is_shell(&self) -> bool {
        let names = [Some(&self.name), self.program.as_ref()];
        names.into_iter().flatten().any(|name| SHELLS.contains(&name.as_str()))
    }

    /// Whether it did not start that one but got it later, as the next above whoever did. A process
    /// is in the session of the one that started it, unless it leads one of its own.
    pub(super) fn is_stranger_to(&self, child: &ProcessPlace) -> bool {
        let leads = child.session == i64::from(child.process.pid);
        !leads && child.session != self.place.session
    }

    /// Whether it is one of those that all processes fall to which are left behind: a person's
    /// processes are below it too.
    pub(super) fn took_in(&self, child: &ProcessPlace) -> bool {
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
    pub(super) fn may_have_taken_in(&self, child: &ProcessPlace) -> bool {
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
