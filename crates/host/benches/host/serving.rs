//! Servers as small as can be, so that what is measured is the host: in our own process, on a port
//! and as processes.

pub(crate) mod process;
pub(crate) mod site;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};

/// As much as lies unread in a pipe of the kernel's.
const PIPE: usize = 64 * 1024;

/// What a server says.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    is_modern: bool,
    /// The result of `tools/list`.
    tools: String,
    /// The result of every `tools/call`.
    result: String,
}

#[derive(Deserialize)]
pub(crate) struct Asked<'a> {
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) method: Cow<'a, str>,
}

impl Server {
    /// One of the older era; each of its tools says about a kilobyte.
    pub(crate) fn legacy(tools: String) -> Self {
        let text = "A line of what the tool found, as long as such lines are. ".repeat(17);
        let result = format!(
            r#"{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#
        );
        Self { is_modern: false, tools, result }
    }

    pub(crate) fn modern(tools: String) -> Self {
        Self { is_modern: true, ..Self::legacy(tools) }
    }

    /// The answer to a message, if it wants one.
    pub(crate) fn answer(&self, message: &str) -> Option<String> {
        let asked: Asked<'_> = serde_json::from_str(message).ok()?;
        let id = asked.id?;
        let result = match (&*asked.method, self.is_modern) {
            ("initialize", false) => {
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"small","version":"1"}}"#
            }
            ("server/discover", true) => {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#
            }
            ("tools/list", _) => &self.tools,
            ("tools/call", _) => &self.result,
            _ => {
                let error = r#"{"code":-32601,"message":"method not found"}"#;
                return Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
            }
        };
        Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    }

    /// Serves one connection in our own process.
    pub(crate) fn over_pipe(self: Arc<Self>) -> DuplexStream {
        let (ours, theirs) = duplex(PIPE);
        tokio::spawn(async move {
            let (reader, mut writer) = split(theirs);
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(mut answer) = self.answer(&line) {
                    answer.push('\n');
                    if writer.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        ours
    }
}
