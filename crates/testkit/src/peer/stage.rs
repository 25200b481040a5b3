//! The state of a playing script, and the playing of its acts.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Notify, oneshot, watch};

use super::envelope::Envelope;
use super::output::{Output, Piece};
use crate::{Act, Script};

const INFO: &str = r#"{"name":"scripted","version":"0"}"#;

pub(crate) struct Stage {
    script: Script,
    seen: watch::Sender<Vec<String>>,
    exit: watch::Sender<Option<i32>>,
    signals: Mutex<HashMap<String, Arc<Notify>>>,
    played: Mutex<HashMap<usize, u64>>,
    asked: Mutex<HashMap<String, oneshot::Sender<String>>>,
    next_question: AtomicU64,
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").field("script", &self.script).finish_non_exhaustive()
    }
}

/// What the places in a text stand for.
#[derive(Default)]
struct Scene {
    id: Option<String>,
    count: u64,
    arguments: String,
    token: String,
    answer: String,
    message: String,
}

impl Stage {
    pub(crate) fn new(script: Script) -> Arc<Self> {
        Arc::new(Self {
            script,
            seen: watch::Sender::default(),
            exit: watch::Sender::default(),
            signals: Mutex::default(),
            played: Mutex::default(),
            asked: Mutex::default(),
            next_question: AtomicU64::new(1),
        })
    }

    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    pub(crate) fn seen(&self) -> watch::Receiver<Vec<String>> {
        self.seen.subscribe()
    }

    pub(crate) fn exit(&self) -> watch::Receiver<Option<i32>> {
        self.exit.subscribe()
    }

    pub(crate) fn end(&self, code: i32) {
        self.exit.send_replace(Some(code));
    }

    fn signal(&self, name: &str) -> Arc<Notify> {
        Arc::clone(self.signals.lock().unwrap().entry(name.to_owned()).or_default())
    }

    pub(crate) fn release(&self, name: &str) {
        self.signal(name).notify_one();
    }

    pub(crate) async fn complain(&self, text: &str) {
        let mut stderr = tokio::io::stderr();
        let _ = stderr.write_all(format!("{text}\n").as_bytes()).await;
        let _ = stderr.flush().await;
    }

    /// Plays what comes before the first message is read.
    pub(crate) async fn open(&self, output: &dyn Output) {
        self.act(&self.script.opening, Scene::default(), output).await;
    }

    /// Takes one message and does what the script has for it.
    pub(crate) async fn take(self: Arc<Self>, line: String, output: Arc<dyn Output>) {
        let Ok(message) = serde_json::from_str::<Envelope<'_>>(&line) else { return };
        let id = message.id.map(|id| id.get().to_owned());
        let (Some(method), params) = (message.method, message.params) else {
            let asked = id.and_then(|id| self.asked.lock().unwrap().remove(&id));
            if let Some(asked) = asked {
                let _ = asked.send(line);
            }
            return;
        };
        self.release(&format!("received {method}"));
        let is_request = id.is_some();
        let mut scene = Scene {
            id,
            arguments: text(params.arguments),
            token: text(params.meta.token),
            ..Scene::default()
        };
        let name = params.name.as_deref().or(params.uri.as_deref());
        match self.script.part(&method, name, &line) {
            Some((number, part)) => {
                scene.count = self.count(number);
                scene.message.clone_from(&line);
                self.act(&part.acts, scene, &*output).await;
            }
            None if is_request => self.act(&[self.usual(&method)], scene, &*output).await,
            None => {}
        }
    }

    /// Whether this request has a part, or is one that every server answers.
    pub(crate) fn knows(&self, line: &str) -> bool {
        let Ok(message) = serde_json::from_str::<Envelope<'_>>(line) else { return false };
        let (method, params) = (message.method.unwrap_or_default(), message.params);
        let name = params.name.as_deref().or(params.uri.as_deref());
        method == "server/discover" || self.script.part(&method, name, line).is_some()
    }

    /// In the order of arrival, whatever order the acts then take.
    pub(crate) fn note(&self, line: &str) {
        self.seen.send_modify(|seen| seen.push(line.to_owned()));
    }

    fn count(&self, key: usize) -> u64 {
        let mut played = self.played.lock().unwrap();
        let count = played.entry(key).or_default();
        *count += 1;
        *count
    }

    /// What a server does where the script says nothing.
    fn usual(&self, method: &str) -> Act {
        let Script { legacy, modern, capabilities, .. } = &self.script;
        let modern_capabilities = self.script.modern_capabilities();
        match (method, legacy) {
            ("initialize", Some(version)) => Act::Answer(format!(
                r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"serverInfo":{INFO}}}"#
            )),
            ("server/discover", _) if *modern => Act::Answer(format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{modern_capabilities},"ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{INFO}}}}}"#
            )),
            ("ping", Some(_)) => Act::answer("{}"),
            _ => Act::refuse(-32601, "method not found"),
        }
    }

    async fn act(&self, acts: &[Act], mut scene: Scene, output: &dyn Output) {
        for act in acts {
            match in_turn(act, scene.count) {
                Act::InTurn(_) => unreachable!("turns do not hold turns"),
                Act::Hold(name) => self.signal(name).notified().await,
                Act::Release(name) => self.release(name),
                Act::Complain(text) => self.complain(&self.fill(text, &scene)).await,
                Act::Exit(code) => {
                    self.exit.send_replace(Some(*code));
                    return;
                }
                Act::Ask { method, params } => {
                    let id = self.next_question.fetch_add(1, Ordering::Relaxed);
                    let id = format!("\"q{id}\"");
                    let (sender, answer) = oneshot::channel();
                    self.asked.lock().unwrap().insert(id.clone(), sender);
                    let params = self.fill(params, &scene);
                    write(output, request(Some(&id), method, &params)).await;
                    scene.answer = answer.await.unwrap();
                }
                Act::Flood(count) => {
                    for n in 0..*count {
                        let params = format!(r#"{{"level":"info","data":{n}}}"#);
                        write(output, request(None, "notifications/message", &params)).await;
                    }
                }
                Act::Huge(bytes) => {
                    let id = scene.id.as_deref().unwrap_or("null");
                    let head = format!(
                        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
                    );
                    let tail = r#""}]}}"#.to_owned();
                    let pieces = [Piece::Text(head), Piece::Filling(*bytes), Piece::Text(tail)];
                    output.write(&pieces).await;
                }
                Act::Cut => output.cut(),
                Act::Line(text) => write(output, self.fill(text, &scene)).await,
                Act::Notify { method, params } => {
                    write(output, request(None, method, &self.fill(params, &scene))).await;
                }
                Act::Answer(result) => {
                    let (id, result) = (scene.id.as_deref(), self.fill(result, &scene));
                    write(output, reply(id, "result", &result)).await;
                }
                Act::Refuse { code, message } => {
                    let message = serde_json::to_string(message).unwrap();
                    let error = format!(r#"{{"code":{code},"message":{message}}}"#);
                    write(output, reply(scene.id.as_deref(), "error", &error)).await;
                }
            }
        }
    }

    fn fill(&self, text: &str, scene: &Scene) -> String {
        if !text.contains("${") {
            return text.to_owned();
        }
        let seen = || format!("[{}]", self.seen.borrow().join(","));
        let text = point("${message:", text, &scene.message);
        let text = point("${answer:", &text, &scene.answer);
        text.replace("${id}", scene.id.as_deref().unwrap_or("null"))
            .replace("${n}", &scene.count.to_string())
            .replace("${token}", &scene.token)
            .replace("${pid}", &std::process::id().to_string())
            .replace("${answer}", &scene.answer)
            .replace("${seen}", &if text.contains("${seen}") { seen() } else { String::new() })
            .replace("${arguments}", &scene.arguments)
    }
}

/// Fills places like `${message:/params/name}`: what stands there, written so that it can stand in
/// a string.
fn point(opening: &str, text: &str, json: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(opening) {
        let (pointer, after) = after.split_once('}').unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
        let plain = match json.pointer(pointer) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        filled.push_str(before);
        filled.push_str(serde_json::to_string(&plain).unwrap().trim_matches('"'));
        rest = after;
    }
    filled + rest
}

fn in_turn(act: &Act, count: u64) -> &Act {
    match act {
        Act::InTurn(acts) => &acts[acts.len().min(count as usize) - 1],
        act => act,
    }
}

fn text(raw: Option<&RawValue>) -> String {
    raw.map_or("null", RawValue::get).to_owned()
}

async fn write(output: &dyn Output, message: String) {
    output.write(&[Piece::Text(message)]).await;
}

fn request(id: Option<&str>, method: &str, params: &str) -> String {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#)
}

fn reply(id: Option<&str>, member: &str, value: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"{member}":{value}}}"#, id.unwrap_or("null"))
}
