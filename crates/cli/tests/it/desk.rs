//! A desk: a terminal with a shell, from which an agent was started as people start them.
//!
//! Everybody above an agent counts as the agent, up to the shell that leads a terminal's session. So
//! without a desk the test itself, which plays the person too, would be the agent.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use pty_process::blocking::{Command, Pty};

use crate::daemon::house::eventually;

/// The shell, and the terminal that it leads the session of.
pub(crate) struct Desk {
    pub(crate) shell: Child,
    /// What the shell started.
    pub(crate) agent: u32,
    _terminal: Pty,
}

impl Desk {
    /// Starts this from the shell, in a folder, with these variables and no others. Its streams are
    /// pipes.
    pub(crate) fn start(folder: &Path, variables: &[(String, String)], command: &[String]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let home = variables.iter().find_map(|(name, value)| (name == "HOME").then_some(value));
        let home = Path::new(home.unwrap());
        let script = home.join(format!("desk-{number}.sh"));
        let line: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        // Not on its own command line, or it would be taken for a shell that was told a command.
        let text = format!("{}\nexit $?\n", line.join(" "));
        fs::write(&script, text).unwrap();
        let (terminal, pts) = pty_process::blocking::open().unwrap();
        let mut shell = Command::new("sh").arg(script).current_dir(folder).env_clear();
        for (name, value) in variables {
            shell = shell.env(name, value);
        }
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut shell = shell.spawn(pts).unwrap();
        let agent = child_of(&mut shell);
        Self { shell, agent, _terminal: terminal }
    }
}

/// The process that a shell has started; none has the number zero, where it is over already.
fn child_of(shell: &mut Child) -> u32 {
    let children = format!("/proc/{0}/task/{0}/children", shell.id());
    let mut agent = None;
    eventually("the shell has started it", || {
        let text = fs::read_to_string(&children).unwrap_or_default();
        agent = text.split_whitespace().next().and_then(|pid| pid.parse().ok());
        agent.is_some() || shell.try_wait().unwrap().is_some()
    });
    agent.unwrap_or(0)
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
