//! An agent with a window, that runs what a test tells it to run.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde_json::json;

use crate::daemon::house::Window;
use crate::stdio::client::Client;
use crate::support::{Ran, World};

pub(crate) struct Agent {
    pub(crate) window: Window,
    errands: Errands,
}

/// The way to what an agent runs beside its window.
pub(crate) struct Errands(PathBuf);

/// The program, as a word of a command.
pub(crate) fn toolgate() -> String {
    assert_cmd::cargo::cargo_bin!("toolgate").to_str().unwrap().to_owned()
}

/// The words of a command, with `toolgate` where the program is meant.
fn words(command: &[&str]) -> Vec<String> {
    let word = |word: &&str| word.replace("toolgate ", &format!("{} ", toolgate()));
    let words = command.iter().map(|one| if *one == "toolgate" { toolgate() } else { word(one) });
    words.collect()
}

impl Agent {
    /// One that has this for its window, and is in a session there.
    pub(crate) fn start(world: &World, window: &[&str]) -> Self {
        let (client, errands) = Errands::begin(world, window);
        Self { window: Window::begin(client), errands }
    }

    /// What comes of it when the agent runs this.
    pub(crate) fn runs(&self, command: &[&str]) -> Ran {
        self.errands.run(command)
    }
}

impl Errands {
    /// An agent that starts this, whatever it is.
    pub(crate) fn begin(world: &World, first: &[&str]) -> (Client, Self) {
        let socket = world.home().join("errands");
        let first = words(first);
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        let agent = [&["busy-agent", socket.to_str().unwrap()], &first[..]].concat();
        (Client::start_agent(world, &[], &agent), Self(socket))
    }

    /// Those of an agent that takes them here.
    pub(crate) fn at(socket: impl Into<PathBuf>) -> Self {
        Self(socket.into())
    }

    pub(crate) fn run(&self, command: &[&str]) -> Ran {
        let mut agent = UnixStream::connect(&self.0).unwrap();
        writeln!(agent, "{}", json!(words(command))).unwrap();
        let mut answer = String::new();
        agent.read_to_string(&mut answer).unwrap();
        let (code, stdout, stderr) = serde_json::from_str(&answer).unwrap();
        Ran { code, stdout, stderr }
    }
}
