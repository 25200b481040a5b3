//! A script being played over a pair of byte streams, and the test's hold on it.

mod envelope;
mod output;
mod stage;

use std::sync::Arc;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader, DuplexStream, duplex, split,
};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

pub(crate) use self::envelope::Envelope;
pub(crate) use self::output::{LineOutput, Output, Piece, joined};
pub(crate) use self::stage::Stage;
use crate::Script;

/// The most that lies unread in a pipe of ours, as in one of the kernel's.
const PIPE: usize = 64 * 1024;

/// A running scripted server, as the test sees it.
#[derive(Debug)]
pub struct Peer {
    stage: Arc<Stage>,
    seen: watch::Receiver<Vec<String>>,
    playing: JoinHandle<i32>,
    over: watch::Receiver<bool>,
}

impl Script {
    /// Plays this script at the other end of an in-memory pipe.
    pub fn over_pipe(self) -> (DuplexStream, Peer) {
        let (ours, theirs) = duplex(PIPE);
        let stage = Stage::new(self);
        let seen = stage.seen();
        let (ended, over) = watch::channel(false);
        let playing = {
            let stage = Arc::clone(&stage);
            tokio::spawn(async move {
                let (reader, writer) = split(theirs);
                let code = play(stage, reader, writer).await;
                let _ = ended.send(true);
                code
            })
        };
        (ours, Peer { stage, seen, playing, over })
    }
}

impl Peer {
    /// Gives a signal that the script holds for.
    pub fn signal(&self, name: &str) {
        self.stage.release(name);
    }

    /// Everything received so far.
    pub fn seen(&self) -> Vec<String> {
        self.seen.borrow().clone()
    }

    /// Waits until a message with this in it was received, and gives the first.
    pub async fn received(&self, what: &str) -> String {
        let mut seen = self.seen.clone();
        let all = seen.wait_for(|all| all.iter().any(|line| line.contains(what))).await.unwrap();
        all.iter().find(|line| line.contains(what)).cloned().unwrap()
    }

    /// Ends the server, as a crash would.
    pub fn end(&self) {
        self.stage.end(1);
    }

    /// Waits until the server has ended, and leaves it to others to ask how.
    pub async fn has_ended(&self) {
        let mut over = self.over.clone();
        over.wait_for(|over| *over).await.unwrap();
    }

    /// Waits until so many messages with this in them were received, and gives them.
    pub async fn received_times(&self, what: &str, count: usize) -> Vec<String> {
        let fitting = |all: &Vec<String>| {
            let fitting = all.iter().filter(|line| line.contains(what));
            fitting.cloned().collect::<Vec<_>>()
        };
        let mut seen = self.seen.clone();
        let all = seen.wait_for(|all| fitting(all).len() >= count).await.unwrap();
        fitting(&all)
    }

    /// Waits until the server has ended.
    pub async fn ended(self) -> i32 {
        self.playing.await.unwrap()
    }
}

/// Plays until the input ends or the script wants out; gives the exit code.
pub(crate) async fn play(
    stage: Arc<Stage>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> i32 {
    let output = Arc::new(LineOutput::new(writer, stage.script().manners.trickles));
    let mut lines = BufReader::new(reader).lines();
    let mut acting = JoinSet::new();
    stage.open(&*output).await;
    let mut exit = stage.exit();
    let exit = async move { exit.wait_for(Option::is_some).await.ok().and_then(|code| *code) };
    tokio::pin!(exit);
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            code = &mut exit => return code.unwrap(),
            line = lines.next_line(), if is_open => match line {
                Ok(Some(line)) => {
                    stage.note(&line);
                    acting.spawn(Arc::clone(&stage).take(line, Arc::clone(&output) as _));
                }
                _ if stage.script().manners.ignores_end => {
                    is_open = false;
                    stage.complain("the input ended").await;
                }
                _ => return 0,
            },
            Some(done) = acting.join_next() => done.unwrap(),
        }
    }
}
