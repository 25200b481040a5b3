//! `control.sock`: a command that is told and asked things before its answer, and one that leaves.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolgate_control::QUESTION_TAKEN_BACK;
use toolgate_gateway::socket::control::{
    CommandDeclined, ControlPeer, ControlService, PeerReply, answer_commands,
};

/// Does what it is asked to.
#[derive(Default)]
struct Answering {
    given_up: Notify,
    go: Notify,
}

#[async_trait]
impl ControlService for Answering {
    async fn asked(
        &self,
        method: &str,
        params: Option<&RawValue>,
        peer: &Arc<ControlPeer>,
    ) -> Result<Box<RawValue>, CommandDeclined> {
        let raw = |value: Value| to_raw_value(&value).unwrap();
        match method {
            "echo" => Ok(params.unwrap().to_owned()),
            "talk" => {
                peer.tell("first", &raw(json!({"n": 1})));
                let reply = peer.ask("which", &raw(json!({}))).await;
                peer.tell("second", &raw(json!({"n": 2})));
                match reply {
                    PeerReply::Result(answer) => Ok(answer),
                    PeerReply::Refused => Err(CommandDeclined::Failed("nobody answers".to_owned())),
                }
            }
            "think_again" => {
                let params = raw(json!({}));
                tokio::select! {
                    _ = peer.ask("which", &params) => Err(CommandDeclined::Failed("it was answered".to_owned())),
                    () = self.go.notified() => Ok(raw(json!("never mind"))),
                }
            }
            "recite" => {
                for n in 0..1000 {
                    peer.tell_surely("verse", &raw(json!({"n": n}))).await;
                }
                Ok(raw(json!("that was all")))
            }
            "wait" => {
                peer.given_up().cancelled().await;
                self.given_up.notify_one();
                Ok(raw(json!("given up")))
            }
            "finish" => {
                peer.tell("begun", &raw(json!({})));
                self.go.notified().await;
                Ok(raw(json!("finished")))
            }
            "pid" => Ok(raw(json!(peer.pid))),
            "bad" => Err(CommandDeclined::Params("that makes no sense".to_owned())),
            _ => Err(CommandDeclined::UnknownMethod),
        }
    }
}

struct Socket {
    path: PathBuf,
    answering: Arc<Answering>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    _folder: TempDir,
}

impl Socket {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let (answering, stop) = (Arc::new(Answering::default()), CancellationToken::new());
        let uid = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&path).unwrap());
        let control = Arc::clone(&answering) as _;
        let serving = tokio::spawn(answer_commands(listener, control, uid, stop.clone()));
        Self { path, answering, stop, serving, _folder: folder }
    }

    async fn command(&self) -> Asking {
        let (reader, writer) = UnixStream::connect(&self.path).await.unwrap().into_split();
        Asking { lines: BufReader::new(reader).lines(), writer }
    }
}

/// A command at its end of the socket.
struct Asking {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

impl Asking {
    async fn say(&mut self, message: Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, id: u32, method: &str) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"x": id}});
        self.say(message).await;
    }

    /// `None` once it is closed.
    async fn hear(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }
}

#[tokio::test]
async fn requests_are_answered_in_their_order_and_what_is_wrong_has_its_code() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    for (id, method) in [(1, "echo"), (2, "bad"), (3, "unknown"), (4, "pid")] {
        command.ask(id, method).await;
    }
    assert_eq!(command.hear().await.unwrap()["result"], json!({"x": 1}));
    let bad = command.hear().await.unwrap();
    assert_eq!((&bad["id"], &bad["error"]["code"]), (&json!(2), &json!(-32602)));
    assert_eq!(command.hear().await.unwrap()["error"]["code"], -32601);
    assert_eq!(command.hear().await.unwrap()["result"], std::process::id());
}

#[tokio::test]
async fn a_question_whose_answer_nobody_wants_any_more_is_taken_back() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    command.ask(1, "think_again").await;
    let asked = command.hear().await.unwrap();
    assert_eq!(asked["method"], "which");
    socket.answering.go.notify_one();
    let told = command.hear().await.unwrap();
    assert_eq!(
        (&told["method"], &told["params"]["id"]),
        (&json!(QUESTION_TAKEN_BACK), &asked["id"])
    );
    assert_eq!(command.hear().await.unwrap()["result"], "never mind");
    // One that is answered is not.
    command.ask(2, "talk").await;
    command.hear().await.unwrap();
    let asked = command.hear().await.unwrap();
    command.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {}})).await;
    assert_eq!(command.hear().await.unwrap()["method"], "second");
    assert_eq!(command.hear().await.unwrap()["id"], 2);
}

#[tokio::test]
async fn what_must_not_be_missed_waits_for_a_command_that_reads_late() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    command.ask(1, "recite").await;
    for n in 0..1000 {
        assert_eq!(command.hear().await.unwrap()["params"]["n"], n);
    }
    assert_eq!(command.hear().await.unwrap()["result"], "that was all");
}

#[tokio::test]
async fn a_command_is_told_and_asked_before_its_answer() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    command.ask(1, "talk").await;
    let first = command.hear().await.unwrap();
    assert_eq!((&first["method"], &first["params"]["n"]), (&json!("first"), &json!(1)));
    let asked = command.hear().await.unwrap();
    assert_eq!(asked["method"], "which");
    // Another request waits, and an answer to nothing is nothing.
    command.ask(2, "echo").await;
    command.say(json!({"jsonrpc": "2.0", "id": 99, "result": {"to": "nothing"}})).await;
    command.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"this": "one"}})).await;
    assert_eq!(command.hear().await.unwrap()["method"], "second");
    let answer = command.hear().await.unwrap();
    assert_eq!((&answer["id"], &answer["result"]), (&json!(1), &json!({"this": "one"})));
    assert_eq!(command.hear().await.unwrap()["id"], 2);
}

#[tokio::test]
async fn a_question_that_is_refused_or_given_up_has_no_answer() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    let refusals = [
        |asked: &Value| {
            json!({"jsonrpc": "2.0", "id": asked["id"],
            "error": {"code": -32603, "message": "nobody"}})
        },
        |_: &Value| json!({"jsonrpc": "2.0", "method": "cancel"}),
    ];
    for (id, refusal) in (1..).zip(refusals) {
        command.ask(id, "talk").await;
        command.hear().await.unwrap();
        let asked = command.hear().await.unwrap();
        command.say(refusal(&asked)).await;
        assert_eq!(command.hear().await.unwrap()["method"], "second");
        let answer = command.hear().await.unwrap();
        assert_eq!(answer["error"]["message"], "nobody answers", "{answer}");
    }
}

#[tokio::test]
async fn whoever_cancels_is_told_what_came_of_it_and_whoever_leaves_cancels_too() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    command.ask(1, "wait").await;
    command.say(json!({"jsonrpc": "2.0", "method": "cancel"})).await;
    assert_eq!(command.hear().await.unwrap()["result"], "given up");
    socket.answering.given_up.notified().await;
    command.ask(2, "wait").await;
    drop(command);
    socket.answering.given_up.notified().await;
}

#[tokio::test]
async fn nonsense_ends_the_conversation() {
    let socket = Socket::open();
    let mut command = socket.command().await;
    command.writer.write_all(b"{\n").await.unwrap();
    assert_eq!(command.hear().await, None);
}

#[tokio::test]
async fn a_stop_waits_for_what_is_under_way_and_for_nobody_else() {
    let socket = Socket::open();
    let (mut busy, mut idle) = (socket.command().await, socket.command().await);
    idle.ask(1, "echo").await;
    idle.hear().await.unwrap();
    busy.ask(1, "finish").await;
    assert_eq!(busy.hear().await.unwrap()["method"], "begun");
    socket.stop.cancel();
    assert_eq!(idle.hear().await, None);
    socket.answering.go.notify_one();
    assert_eq!(busy.hear().await.unwrap()["result"], "finished");
    assert_eq!(busy.hear().await, None);
    socket.serving.await.unwrap();
    assert!(UnixStream::connect(&socket.path).await.is_err());
}
