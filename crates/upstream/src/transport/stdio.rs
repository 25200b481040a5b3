//! A local process: messages on its standard streams, its errors kept, its tree ended with it.

mod complaints;
mod cpu_time;
pub(crate) mod last_words;
pub(crate) mod process_listener;
mod tail;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use toolgate_sandbox::{
    ChildProcess, ChildStderr, ChildStdin, Description, ProcessSpawner, ProgramExit,
    SpawnConditions,
};
use toolgate_types::{MovableWork, ServerId};
use tracing::debug;

use self::complaints::Complaints;
use self::process_listener::ProcessEars;
use self::tail::StderrTail;
use super::duplex::{self, MessageWriter as _};
use super::lines::{LineWriter, read_lines};
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::{ConnectError, RequestError};
use crate::reply::ServerReply;
use crate::router::MessageRouter;

/// How long a process that closed its output may take to end before it counts as hanging.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often a process that starts is looked at.
const EVERY: Duration = Duration::from_millis(100);

/// A running server process.
pub(crate) struct StdioTransport {
    pid: u32,
    writer: LineWriter<ChildStdin>,
    router: Arc<MessageRouter>,
    child: Arc<Mutex<ChildProcess>>,
    tail: Arc<StderrTail>,
    /// Closed once its standard error was read to the end.
    silent: watch::Receiver<()>,
    /// Told at the first byte of output: the process is up.
    pub(crate) spoke: Arc<Notify>,
}

impl StdioTransport {
    pub(crate) async fn start(
        server: &ServerId,
        spawner: &ProcessSpawner,
        (description, how): (&Description, &SpawnConditions),
        router: &Arc<MessageRouter>,
        hear: Option<ProcessEars>,
    ) -> Result<Arc<Self>, ConnectError> {
        let mut child = spawner.spawn(description, how).await.map_err(|error| {
            ConnectError::Setup { message: error.to_string(), hint: error.hint() }
        })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            let message = "the process has no streams".to_owned();
            return Err(ConnectError::Setup { message, hint: None });
        };
        let watched = hear.clone().map(|hear| tokio::spawn(watch_start(child.pid(), hear)));
        let tail = Arc::new(StderrTail::default());
        let (speaking, silent) = watch::channel(());
        let complaints = child.stderr.take().map(|stderr| {
            let (tail, complaints) = (Arc::clone(&tail), Complaints::new(hear));
            tokio::spawn(async move {
                keep(stderr, &tail, complaints).await;
                drop(speaking);
            })
        });
        let stdio = Arc::new(Self {
            pid: child.pid(),
            writer: LineWriter::new(stdin),
            router: Arc::clone(router),
            child: Arc::new(Mutex::new(child)),
            tail: Arc::clone(&tail),
            silent,
            spoke: Arc::new(Notify::new()),
        });
        // Only the connection keeps the process: dropping it ends the tree.
        let (child, spoke) = (Arc::downgrade(&stdio.child), Arc::clone(&stdio.spoke));
        let (server, pid, router) = (server.clone(), stdio.pid, Arc::clone(router));
        debug!(server = server.as_str(), process = pid, "process started");
        tokio::spawn(MovableWork::new(async move {
            let speaks = || {
                spoke.notify_one();
                watched.iter().for_each(JoinHandle::abort);
            };
            let ended = read_lines(stdout, Arc::clone(&router), speaks).await;
            watched.iter().for_each(JoinHandle::abort);
            let exit = match child.upgrade() {
                Some(child) => {
                    let mut child = child.lock().await;
                    timeout(LAST_WORDS, child.wait()).await.ok()
                }
                None => None,
            };
            match exit {
                Some(exit) => {
                    debug!(server = server.as_str(), process = pid, %exit, "process ended");
                }
                None => {
                    debug!(server = server.as_str(), process = pid, "process closed its output");
                }
            }
            // What it said last is still on its way; a descendant may keep the stream open.
            if let (Some(_), Some(complaints)) = (exit, complaints) {
                let _ = timeout(LAST_WORDS, complaints).await;
            }
            router.close(&describe(&ended, exit, &tail));
        }));
        Ok(stdio)
    }
}

/// Tells that a process works which has said nothing yet: most take their time to start, and one that
/// hangs computes nothing.
async fn watch_start(process: u32, hear: ProcessEars) {
    let mut before = cpu_time::of_tree(process);
    while let Some(ticks) = before {
        sleep(EVERY).await;
        before = cpu_time::of_tree(process);
        if before.is_some_and(|now| now > ticks) {
            hear.works();
        }
    }
}

async fn keep(mut stderr: ChildStderr, tail: &StderrTail, mut complaints: Complaints) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.feed(&buffer[..count]);
        complaints.feed(&buffer[..count]);
    }
    complaints.end_line();
}

fn describe(ended: &str, exit: Option<ProgramExit>, tail: &StderrTail) -> String {
    let how = match exit {
        Some(exit) => format!("the server {exit}"),
        None => ended.to_owned(),
    };
    match tail.text() {
        Some(said) => format!("{how}; it last said: {said}"),
        None => how,
    }
}

#[async_trait]
impl ServerChannel for StdioTransport {
    async fn call(&self, id: u64, message: OutgoingMessage) -> Result<ServerReply, RequestError> {
        duplex::call(&self.router, &self.writer, id, message).await
    }

    async fn send(&self, message: OutgoingMessage) -> Result<(), RequestError> {
        self.writer.write(&message).await
    }

    fn drop_cancels(&self) -> bool {
        false
    }

    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn stderr_tail(&self) -> Option<String> {
        self.tail.text()
    }

    async fn close(&self, grace: Duration) {
        self.writer.close().await;
        self.child.lock().await.shutdown(grace).await;
        // Its last words are heard before the end, unless somebody else keeps the stream open.
        let _ = timeout(LAST_WORDS, self.silent.clone().changed()).await;
    }
}
