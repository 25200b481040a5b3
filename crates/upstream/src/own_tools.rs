//! Tools of the program itself, served in its own process: they are reached on the same path as any
//! server's, with the same rules, records and approvals.
//!
//! Nobody but a host of this process speaks with it, so one era is enough.

mod messages;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use toolgate_types::{OutputPart, Tool, ToolOutput};
use toolgate_wire::{ErrorCode, method};

use crate::BuiltinServers;
use messages::{CallResult, ListedOwnTool, NoMembers, OwnToolsIntroduction, ToolList};

/// The most that lies unread in the pipe.
const PIPE: usize = 64 * 1024;

/// A server within this process.
pub struct OwnToolServer {
    /// What it calls itself.
    pub name: &'static str,
    /// What a model should know before it uses the tools.
    pub instructions: Option<&'static str>,
    pub tools: Vec<Arc<dyn Tool>>,
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
        tokio::spawn(serve(theirs, Arc::clone(&server)));
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
struct ToolCallParams {
    name: String,
    arguments: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: String,
}

/// Until the host closes its end.
async fn serve(pipe: DuplexStream, server: Arc<ServedTools>) {
    let (reader, mut writer) = split(pipe);
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
                if writer.write_all(answer.as_bytes()).await.is_err() {
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

/// A result, or an error with its code.
async fn answer(
    server: &ServedTools,
    method: &str,
    params: Option<&RawValue>,
) -> Result<Box<RawValue>, (ErrorCode, String)> {
    let unreadable = || (ErrorCode::INVALID_PARAMS, "the parameters cannot be read".to_owned());
    let result = match method {
        method::INITIALIZE => {
            let params = params.ok_or_else(unreadable)?;
            let params: InitializeParams =
                serde_json::from_str(params.get()).map_err(|_| unreadable())?;
            let (name, instructions) = match server {
                ServedTools::Own(own) => (own.name, own.instructions),
                ServedTools::Listed(_) => ("command-tools", None),
            };
            to_raw_value(&OwnToolsIntroduction::of(name, instructions, &params.protocol_version))
        }
        method::PING => to_raw_value(&NoMembers {}),
        method::TOOLS_LIST => match server {
            ServedTools::Own(own) => {
                let tools = own.tools.iter().map(|tool| ListedOwnTool::of(&**tool)).collect();
                to_raw_value(&ToolList::<ListedOwnTool<'_>> { tools })
            }
            ServedTools::Listed(tools) => {
                let tools = tools.iter().map(|tool| &**tool).collect();
                to_raw_value(&ToolList::<&RawValue> { tools })
            }
        },
        method::TOOLS_CALL => {
            let params = params.ok_or_else(unreadable)?;
            let params: ToolCallParams =
                serde_json::from_str(params.get()).map_err(|_| unreadable())?;
            let ToolCallParams { name, arguments } = params;
            let own: &[Arc<dyn Tool>] = match server {
                ServedTools::Own(own) => &own.tools,
                ServedTools::Listed(_) => &[],
            };
            let Some(tool) = own.iter().find(|tool| tool.name() == name) else {
                return Err((ErrorCode::INVALID_PARAMS, format!("there is no tool `{name}`")));
            };
            let arguments = arguments.or_else(|| RawValue::from_string("{}".to_owned()).ok());
            let output = match tool.call(arguments.ok_or_else(unreadable)?).await {
                Ok(output) => output,
                // The model can read this, and do something about it.
                Err(error) => {
                    ToolOutput { is_error: true, parts: vec![OutputPart::Text(error.message)] }
                }
            };
            to_raw_value(&CallResult::of(&output))
        }
        _ => {
            let why = format!("`{method}` is not there");
            return Err((ErrorCode::METHOD_NOT_FOUND, why));
        }
    };
    result.map_err(|error| (ErrorCode::INTERNAL_ERROR, error.to_string()))
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
