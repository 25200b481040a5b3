//! A local process: messages on its standard streams, its errors kept, its tree ended with it.

pub(crate) mod complaints;
mod tail;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;
use toolgate_sandbox::{Child, ChildStderr, ChildStdin, Description, Exit, How, Spawner};

use self::complaints::{Complaints, Hear};
use self::tail::Tail;
use super::duplex::{self, Writer as _};
use super::lines::{LineWriter, read_lines};
use crate::channel::{Channel, Outgoing};
use crate::failure::{ConnectError, RequestError};
use crate::reply::Reply;
use crate::router::Router;

/// How long a process that closed its output may take to end before it counts as hanging.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running server process.
pub(crate) struct Stdio {
    pid: u32,
    writer: LineWriter<ChildStdin>,
    router: Arc<Router>,
    child: Arc<Mutex<Child>>,
    tail: Arc<Tail>,
    /// Closed once its standard error was read to the end.
    silent: watch::Receiver<()>,
    /// Told at the first byte of output: the process is up.
    pub(crate) spoke: Arc<Notify>,
}

impl Stdio {
    pub(crate) async fn start(
        spawner: &Spawner,
        description: &Description,
        how: &How,
        router: Arc<Router>,
        hear: Option<Hear>,
    ) -> Result<Arc<Self>, ConnectError> {
        let mut child = spawner.spawn(description, how).await.map_err(|error| {
            ConnectError::Setup { message: error.to_string(), hint: error.hint() }
        })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            let message = "the process has no streams".to_owned();
            return Err(ConnectError::Setup { message, hint: None });
        };
        let tail = Arc::new(Tail::default());
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
            router: Arc::clone(&router),
            child: Arc::new(Mutex::new(child)),
            tail: Arc::clone(&tail),
            silent,
            spoke: Arc::new(Notify::new()),
        });
        // Only the connection keeps the process: dropping it ends the tree.
        let (child, spoke) = (Arc::downgrade(&stdio.child), Arc::clone(&stdio.spoke));
        tokio::spawn(async move {
            let ended = read_lines(stdout, Arc::clone(&router), || spoke.notify_one()).await;
            let exit = match child.upgrade() {
                Some(child) => {
                    let mut child = child.lock().await;
                    timeout(LAST_WORDS, child.wait()).await.ok()
                }
                None => None,
            };
            // What it said last is still on its way; a descendant may keep the stream open.
            if let (Some(_), Some(complaints)) = (exit, complaints) {
                let _ = timeout(LAST_WORDS, complaints).await;
            }
            router.close(&describe(&ended, exit, &tail));
        });
        Ok(stdio)
    }
}

async fn keep(mut stderr: ChildStderr, tail: &Tail, mut complaints: Complaints) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.feed(&buffer[..count]);
        complaints.feed(&buffer[..count]);
    }
    complaints.end_line();
}

fn describe(ended: &str, exit: Option<Exit>, tail: &Tail) -> String {
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
impl Channel for Stdio {
    async fn call(&self, id: u64, message: Outgoing) -> Result<Reply, RequestError> {
        duplex::call(&self.router, &self.writer, id, message).await
    }

    async fn send(&self, message: Outgoing) -> Result<(), RequestError> {
        self.writer.write(&message.bytes).await
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
