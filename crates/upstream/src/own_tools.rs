//! Servers of the program itself, within its own process: they are reached on the same path as any
//! other, with the same rules, records and approvals.
//!
//! Nobody but a host of this process, or whoever started a server alone, speaks with it, so one era is
//! enough.

mod answer;
mod beside_tools;
mod messages;
mod own_answer;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, duplex, split,
};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use toolgate_types::{Prompt, ResourceProvider, Tool};
use toolgate_wire::{ErrorCode, method};

use crate::BuiltinServers;
use answer::answer;

/// The most that lies unread in the pipe.
const PIPE: usize = 64 * 1024;

/// A server within this process.
pub struct OwnToolServer {
    /// What it calls itself.
    pub name: &'static str,
    /// What a model should know before it uses the tools.
    pub instructions: Option<&'static str>,
    pub tools: Vec<Arc<dyn Tool>>,
    pub resources: Option<Arc<dyn ResourceProvider>>,
    pub prompts: Vec<Arc<dyn Prompt>>,
}

impl OwnToolServer {
    /// One that has tools and nothing else.
    pub fn new(name: &'static str, tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { name, instructions: None, tools, resources: None, prompts: Vec::new() }
    }
}

impl fmt::Debug for OwnToolServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnToolServer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Serves these tools, each connection anew.
pub fn serve_own_tools(server: OwnToolServer) -> BuiltinServers {
    serve_each(ServedTools::Own(server))
}

/// Serves one connection until its other end is closed: line by line, as a local process would.
pub async fn serve_own_stream(
    server: OwnToolServer,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
) {
    serve(reader, writer, Arc::new(ServedTools::Own(server))).await;
}

/// Lists these definitions, each connection anew; what they define is called in another way.
pub(crate) fn serve_definitions(tools: Vec<Box<RawValue>>) -> BuiltinServers {
    serve_each(ServedTools::Listed(tools))
}

/// What is served.
enum ServedTools {
    Own(OwnToolServer),
    Listed(Vec<Box<RawValue>>),
}

fn serve_each(server: ServedTools) -> BuiltinServers {
    let server = Arc::new(server);
    Arc::new(move || {
        let (ours, theirs) = duplex(PIPE);
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let (reader, writer) = split(theirs);
            serve(reader, writer, server).await;
        });
        ours
    })
}

#[derive(Deserialize)]
struct HostMessage {
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: Box<RawValue>,
}

/// Until the host closes its end.
async fn serve(
    reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    server: Arc<ServedTools>,
) {
    let (answers, mut written) = mpsc::channel::<String>(16);
    let mut calls = JoinSet::new();
    let mut under_way: HashMap<String, AbortHandle> = HashMap::new();
    let mut lines = BufReader::new(reader).lines();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                let Ok(message) = serde_json::from_str::<HostMessage>(&line) else { continue };
                let Some(method) = message.method.as_deref() else { continue };
                let Some(id) = message.id.as_deref().map(|id| id.get().to_owned()) else {
                    if let Some(call) = cancelled(method, message.params.as_deref())
                        .and_then(|id| under_way.remove(&id))
                    {
                        call.abort();
                    }
                    continue;
                };
                let (server, answers) = (Arc::clone(&server), answers.clone());
                let (method, key) = (method.to_owned(), id.clone());
                let call = calls.spawn(async move {
                    let answer = answer(&server, &method, message.params.as_deref()).await;
                    let _ = answers.send(envelope(&id, answer)).await;
                    id
                });
                under_way.insert(key, call);
            }
            Some(answer) = written.recv() => {
                let written = writer.write_all(answer.as_bytes()).await;
                if written.is_err() || writer.flush().await.is_err() {
                    return;
                }
            }
            Some(done) = calls.join_next() => {
                if let Ok(id) = done {
                    under_way.remove(&id);
                }
            }
        }
    }
}

fn cancelled(method: &str, params: Option<&RawValue>) -> Option<String> {
    let params = params.filter(|_| method == method::CANCELLED)?;
    let CancelledParams { request_id } = serde_json::from_str(params.get()).ok()?;
    Some(request_id.get().to_owned())
}

fn envelope(id: &str, answer: Result<Box<RawValue>, (ErrorCode, String)>) -> String {
    match answer {
        Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n"),
        Err((ErrorCode(code), why)) => {
            let why = serde_json::to_string(&why).unwrap_or_default();
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{why}}}}}\n"
            )
        }
    }
}
