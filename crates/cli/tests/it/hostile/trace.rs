//! An account of what was executed, connected to and opened, by a run and by everything it started,
//! a detached daemon included.
//!
//! It is `strace` where that is installed and allowed. Where it is not, the traps in a repository are
//! all there is, and that is said aloud.

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

const PROGRAM: &str = "/usr/bin/strace";

/// The tracer runs beside what it traces, so that a shim still has its client for a parent.
const FLAGS: [&str; 5] =
    ["-D", "-f", "--seccomp-bpf", "-s4096", "-etrace=execve,execveat,connect,openat"];

static IS_USABLE: LazyLock<bool> = LazyLock::new(|| {
    let mut probe = Command::new(PROGRAM);
    probe.args(FLAGS).args(["-o", "/dev/null", "/bin/true"]).stderr(Stdio::null());
    let is_usable = probe.status().is_ok_and(|status| status.success());
    if !is_usable {
        // Not by a macro: that would be kept from whoever runs the tests.
        let words = "WITHOUT AN EXEC LOG: strace is missing or may not trace; only the traps tell";
        let _ = writeln!(std::io::stderr(), "{words}");
    }
    is_usable
});

/// The logs of one repository.
pub(super) struct Trace {
    folder: PathBuf,
    count: RefCell<usize>,
}

/// What the logs say, in the order they were written.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) executed: Vec<String>,
    /// The address family, and the path or port.
    pub(super) connected: Vec<String>,
    pub(super) opened: Vec<String>,
}

impl Trace {
    pub(super) fn is_usable() -> bool {
        *IS_USABLE
    }

    pub(super) fn in_folder(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        Self { folder, count: RefCell::default() }
    }

    /// The words that come before a command so that it is traced.
    pub(super) fn words(&self) -> Vec<String> {
        if !Self::is_usable() {
            return Vec::new();
        }
        *self.count.borrow_mut() += 1;
        let log = self.folder.join(self.count.borrow().to_string());
        let own = [PROGRAM.to_owned()].into_iter().chain(FLAGS.map(str::to_owned));
        own.chain(["-o".to_owned(), log.display().to_string()]).collect()
    }

    /// The same command, traced.
    pub(super) fn of(&self, command: &Command) -> Command {
        let mut words = self.words().into_iter();
        let mut traced = match words.next() {
            Some(tracer) => {
                let mut traced = Command::new(tracer);
                traced.args(words).arg(command.get_program());
                traced
            }
            None => Command::new(command.get_program()),
        };
        traced.args(command.get_args()).env_clear();
        traced.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        traced.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
        traced
    }

    /// Everything since the last time; all that was traced has to be over.
    pub(super) fn account(&self) -> Account {
        let mut account = Account::default();
        for number in 1..=self.count.take() {
            let log = self.folder.join(number.to_string());
            let text = fs::read_to_string(&log).unwrap();
            assert!(text.contains("execve("), "an empty log tells nothing: {}", log.display());
            text.lines().for_each(|line| account.line(line));
            fs::remove_file(log).unwrap();
        }
        account
    }
}

impl Account {
    fn line(&mut self, line: &str) {
        let Some((call, rest)) = line.split_once('(') else { return };
        let quoted = || rest.split('"').nth(1).unwrap_or("?").to_owned();
        match call.rsplit(' ').next().unwrap_or_default() {
            "execve" | "execveat" => self.executed.push(quoted()),
            "openat" => self.opened.push(quoted()),
            "connect" => {
                let family = rest.split("sa_family=").nth(1).unwrap_or("?");
                let (family, rest) = family.split_once([',', '}']).unwrap_or((family, ""));
                let port = rest.split("htons(").nth(1).and_then(|rest| rest.split(')').next());
                let place = port.map_or_else(quoted, str::to_owned);
                self.connected.push(format!("{family} {place}"));
            }
            _ => {}
        }
    }

    /// Nothing ran but Toolgate itself, and nothing was reached but sockets that are not in the
    /// repository.
    #[track_caller]
    pub(super) fn is_innocent(&self, repository: &Path) {
        let own = assert_cmd::cargo::cargo_bin!("toolgate").to_str().unwrap().to_owned();
        for program in &self.executed {
            assert!(*program == own || program == "/proc/self/exe", "executed: {program}");
        }
        let repository = repository.to_str().unwrap();
        for place in &self.connected {
            let is_local = place.starts_with("AF_UNIX ") && !place.contains(repository);
            assert!(is_local, "connected: {place}");
        }
    }
}
