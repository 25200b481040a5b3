//! An agent that calls over HTTP, and runs what a test tells it to run.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicU32, Ordering};

use super::agent::Errands;
use crate::desk::Desk;
use crate::support::{Ran, peer_path};

pub(crate) struct HttpAgent {
    desk: Desk,
    /// Where what it calls comes from.
    port: String,
    errands: Errands,
    /// It ends with this.
    input: Option<ChildStdin>,
}

impl HttpAgent {
    /// One that calls this gate, started in this folder with these variables.
    pub(crate) fn start(folder: &Path, variables: &[(String, String)], gate: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let home = variables.iter().find(|(name, _)| name == "HOME").unwrap();
        let socket = Path::new(&home.1).join(format!("http-errands-{number}"));
        let socket = socket.to_str().unwrap().to_owned();
        let peer = peer_path().display().to_string();
        let command = [peer, "http-agent".to_owned(), socket.clone(), gate.to_owned()];
        let mut desk = Desk::start(folder, variables, &command);
        let mut port = String::new();
        BufReader::new(desk.shell.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let (port, input) = (port.trim().to_owned(), desk.shell.stdin.take());
        Self { desk, port, errands: Errands::at(socket), input }
    }

    /// A connection of the agent's to the gate; it lasts as long as this does.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.port).unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.desk.agent
    }

    /// What comes of it when the agent runs this.
    pub(crate) fn runs(&self, command: &[&str]) -> Ran {
        self.errands.run(command)
    }
}

impl Drop for HttpAgent {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.desk.shell.wait();
    }
}
