//! Sockets of the same user: those who connect and say nothing are few and soon gone.
//!
//! The clock stands still unless everybody waits, so the times are exact.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::value::{RawValue, to_raw_value};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_control::hello::{FromShim, PROTOCOL, ShimHello, line};
use toolgate_gateway::socket::control::{
    CommandDeclined, ControlPeer, ControlService, answer_commands,
};
use toolgate_gateway::socket::{AdmittedWindow, GateIdentity, WindowAdmission};

use crate::gate::{Gate, tools};

const PATIENCE: Duration = Duration::from_secs(10);

/// Answers everything with nothing.
struct Nothing;

#[async_trait]
impl ControlService for Nothing {
    async fn asked(
        &self,
        _: &str,
        _: Option<&RawValue>,
        _: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        to_raw_value(&()).map_err(|error| CommandDeclined::Failed(error.to_string()))
    }
}

#[async_trait]
impl WindowAdmission for Nothing {
    async fn wanted(&self, _: &ShimHello) -> Vec<String> {
        Vec::new()
    }

    async fn open(
        &self,
        _: &ShimHello,
        _: Option<u32>,
        _: &[String],
        _: BTreeMap<String, String>,
    ) -> Result<AdmittedWindow, String> {
        Err("nobody is let in here".to_owned())
    }

    fn retire(&self) -> bool {
        false
    }
}

fn bound(folder: &TempDir) -> (PathBuf, UnixListener, u32) {
    let path = folder.path().join("sock");
    let listener = UnixListener::bind(&path).unwrap();
    let uid = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&path).unwrap());
    (path, listener, uid)
}

/// A socket for commands.
fn commands(folder: &TempDir) -> PathBuf {
    let (path, listener, uid) = bound(folder);
    tokio::spawn(answer_commands(listener, Arc::new(Nothing), uid, CancellationToken::new()));
    path
}

/// A socket for shims.
async fn shims(folder: &TempDir) -> PathBuf {
    let (path, listener, uid) = bound(folder);
    let itself = GateIdentity { version: "1".to_owned(), pid: 1, uid };
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let gateway = gate.gateway.clone();
    tokio::spawn(async move {
        gateway.attend(listener, Arc::new(Nothing), itself, CancellationToken::new()).await;
        drop(gate);
    });
    path
}

/// How long one of so many that say nothing is listened to, by the clock that stands still: the
/// first of them.
async fn listened_to(path: &Path, so_many: usize) -> Duration {
    let began = Instant::now();
    let mut silent = Vec::new();
    for _ in 0..so_many {
        silent.push(UnixStream::connect(path).await.unwrap());
    }
    assert_eq!(silent[0].read(&mut [0]).await.unwrap(), 0);
    began.elapsed()
}

/// What is answered to this line.
async fn answer(path: &Path, said: &[u8]) -> String {
    let mut stream = UnixStream::connect(path).await.unwrap();
    stream.write_all(said).await.unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).await.unwrap();
    line
}

#[tokio::test(start_paused = true)]
async fn a_command_that_asks_nothing_is_not_waited_for_and_makes_way_where_many_come() {
    let folder = tempfile::tempdir().unwrap();
    let path = commands(&folder);
    assert_eq!(listened_to(&path, 1).await, PATIENCE);
    assert!(listened_to(&path, 300).await < PATIENCE);
    let asked = br#"{"jsonrpc":"2.0","id":1,"method":"x"}"#;
    let answer = answer(&path, &[asked.as_slice(), b"\n"].concat()).await;
    assert_eq!(answer.trim_end(), r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
}

#[tokio::test(start_paused = true)]
async fn a_shim_that_says_no_hello_is_not_waited_for_and_makes_way_where_many_come() {
    let folder = tempfile::tempdir().unwrap();
    let path = shims(&folder).await;
    assert_eq!(listened_to(&path, 1).await, PATIENCE);
    assert!(listened_to(&path, 600).await < PATIENCE);
    let hello = ShimHello {
        protocol: PROTOCOL,
        version: "1".to_owned(),
        workspace: "/".into(),
        role: None,
        client: None,
        config: None,
        inline: None,
    };
    let answer = answer(&path, &line(&FromShim::Hello(Box::new(hello)))).await;
    assert!(answer.starts_with(r#"{"toolgate":"wants""#), "{answer}");
}

/// A shim cannot stay for ever by asking for the same thing.
#[tokio::test(start_paused = true)]
async fn a_shim_that_only_asks_the_daemon_to_retire_is_not_listened_to_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let path = shims(&folder).await;
    let hello = br#"{"toolgate":"hello","protocol":1,"version":"1","workspace":"/"}"#;
    let mut stream = UnixStream::connect(&path).await.unwrap();
    stream.write_all(&[hello.as_slice(), b"\n"].concat()).await.unwrap();
    stream.write_all(&line(&FromShim::Retire).repeat(100)).await.unwrap();
    let mut all = Vec::new();
    // What it said and nobody read makes the end an unclean one.
    let _ = stream.read_to_end(&mut all).await;
    assert!(String::from_utf8(all).unwrap().lines().count() <= 9);
}
