//! The server behind everything that is measured: a hundred tools unless other is said, of which one
//! echoes and counts as read-only, and one echoes and does not.
//!
//! It answers messages of one era; how they travel is the business of `site` and `process`.

pub(crate) mod process;
pub(crate) mod site;

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Failure;

/// So many tools, and about so many bytes of list.
const TOOLS: usize = 100;
const LIST_BYTES: usize = 81_000;

/// Which of the two eras somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) const BOTH: [Self; 2] = [Self::Legacy, Self::Modern];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }

    pub(crate) fn parse(word: &str) -> Result<Self, Failure> {
        Self::BOTH.into_iter().find(|era| era.as_str() == word).ok_or_else(|| "no such era".into())
    }
}

/// What a server is called, and what it says.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    era: Era,
    name: String,
    tools: String,
}

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<Arguments<'a>>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    /// Whether it is to be reported how the call goes on.
    #[serde(default)]
    report: bool,
    /// How long a text is wanted in place of the one that was sent.
    bytes: Option<usize>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: Option<&'a RawValue>,
}

/// What is said to a request.
pub(crate) struct Said {
    pub(crate) report: Option<String>,
    pub(crate) answer: String,
}

impl Server {
    pub(crate) fn new(era: Era, name: &str) -> Self {
        Self { era, name: name.to_owned(), tools: tools(TOOLS) }
    }

    /// What only results of the newer era say of themselves.
    fn result_type(&self) -> &'static str {
        match self.era {
            Era::Legacy => "",
            Era::Modern => r#""resultType":"complete","#,
        }
    }

    /// With so many tools, each as long as one of the hundred.
    pub(crate) fn with_tools(self, count: &str) -> Result<Self, Failure> {
        Ok(Self { tools: tools(count.parse()?), ..self })
    }

    /// The answer to a message, if it wants one.
    pub(crate) fn answer(&self, message: &[u8]) -> Option<Said> {
        let asked: Asked<'_> = serde_json::from_slice(message).ok()?;
        let id = asked.id?;
        let mut report = None;
        let result: Cow<'_, str> = match (&*asked.method, self.era) {
            ("initialize", Era::Legacy) => {
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#.into()
            }
            ("server/discover", Era::Modern) => {
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":3600000,"cacheScope":"private"}"#.into()
            }
            ("tools/list", _) => self.tools.as_str().into(),
            ("tools/call", _) => {
                let params = asked.params?;
                let (arguments, token) = (params.arguments?, params.meta.and_then(|meta| meta.token));
                let long = arguments.bytes.map(long_text);
                let text = long.as_deref().or(arguments.text.map(RawValue::get)).unwrap_or("\"\"");
                if let (true, Some(token)) = (arguments.report, token) {
                    report = Some(format!(
                        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1,"message":{text}}}}}"#
                    ));
                }
                let (name, kind) = (&self.name, self.result_type());
                format!(
                    r#"{{{kind}"content":[{{"type":"text","text":{text}}},{{"type":"text","text":"{name}"}}],"isError":false}}"#
                )
                .into()
            }
            _ => {
                let error = r#"{"code":-32601,"message":"method not found"}"#;
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
                return Some(Said { report, answer });
            }
        };
        Some(Said { report, answer: format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#) })
    }
}

/// A text of about so many bytes, as JSON.
fn long_text(bytes: usize) -> String {
    const LINE: &str =
        "A line of what a tool found, as long as lines are in files that people write. ";
    format!("\"{}\"", LINE.repeat(bytes.div_ceil(LINE.len())))
}

/// The result of `tools/list`.
fn tools(count: usize) -> String {
    let mut tools = String::new();
    for number in 0..count {
        let (name, annotations) = match number {
            0 => ("echo".to_owned(), r#","annotations":{"readOnlyHint":true}"#),
            1 => ("note".to_owned(), ""),
            _ => (format!("tool_{number}"), r#","annotations":{"readOnlyHint":true}"#),
        };
        let start = tools.len();
        let comma = if number == 0 { "" } else { "," };
        // Writing to a text cannot fail.
        let _ = write!(
            tools,
            r#"{comma}{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"text":{{"type":"string","description":"What is said back"}},"report":{{"type":"boolean"}}}},"required":["text"]}}{annotations},"description":"Says back what it is told. "#
        );
        while tools.len() - start < LIST_BYTES / TOOLS - 60 {
            tools.push_str("A sentence as long as those of real tools are, about this and that. ");
        }
        tools.push_str("\"}");
    }
    format!(
        r#"{{"resultType":"complete","tools":[{tools}],"ttlMs":3600000,"cacheScope":"private"}}"#
    )
}
