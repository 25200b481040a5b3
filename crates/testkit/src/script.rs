//! How a scripted server behaves: what it does at each request, and how well-mannered it is.
//!
//! Plain data with no behaviour of its own; [`crate::peer`] plays it.

mod act;

use serde::{Deserialize, Serialize};

pub use act::Act;

/// What every request of the modern era has in its `_meta`.
pub(crate) const MODERN: &str = "io.modelcontextprotocol/protocolVersion";

/// A server, described.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Script {
    /// What `initialize` is answered with; `None` for a server that knows no handshake.
    pub(crate) legacy: Option<String>,
    pub(crate) modern: bool,
    pub(crate) capabilities: String,
    parts: Vec<Part>,
    /// Where it is another server for requests of the modern era.
    to_modern: Option<Box<Script>>,
    /// Before anything was read.
    pub(crate) opening: Vec<Act>,
    pub(crate) manners: Manners,
}

/// What is done at some requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The method, or the method and what it names (`tools/call echo`); `*` stands for anything.
    on: String,
    /// Only for messages with this in them.
    when: Option<String>,
    pub(crate) acts: Vec<Act>,
}

/// What a server does besides answering.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Manners {
    /// Every byte is written and flushed on its own.
    pub(crate) trickles: bool,
    /// Stays when its input ends.
    pub(crate) ignores_end: bool,
    /// A process that stays at `SIGTERM`.
    pub(crate) ignores_term: bool,
}

impl Script {
    fn new(legacy: Option<&str>, modern: bool) -> Self {
        Self {
            legacy: legacy.map(str::to_owned),
            modern,
            capabilities: r#"{"tools":{}}"#.to_owned(),
            parts: Vec::new(),
            to_modern: None,
            opening: Vec::new(),
            manners: Manners::default(),
        }
    }

    /// A server of the older era that answers with its newest revision.
    pub fn legacy() -> Self {
        Self::new(Some("2025-11-25"), false)
    }

    /// A server that knows no handshake.
    pub fn modern() -> Self {
        Self::new(None, true)
    }

    /// A server that can be spoken to either way.
    pub fn both() -> Self {
        Self::new(Some("2025-11-25"), true)
    }

    /// The same server as requests of the modern era find it, with parts and capabilities of its own.
    pub fn and_to_modern_callers(mut self, modern: Self) -> Self {
        self.modern = true;
        self.to_modern = Some(Box::new(modern));
        self
    }

    /// The capabilities that `server/discover` tells.
    pub(crate) fn modern_capabilities(&self) -> &str {
        self.to_modern.as_ref().map_or(&self.capabilities, |modern| &modern.capabilities)
    }

    /// The version that `initialize` is answered with, whatever was offered.
    pub fn speaking(mut self, version: &str) -> Self {
        self.legacy = Some(version.to_owned());
        self
    }

    /// The declared capabilities, as JSON.
    pub fn offering(mut self, capabilities: &str) -> Self {
        self.capabilities = capabilities.to_owned();
        self
    }

    /// What happens at each request with this method, or with this method and name or URI. Replaces
    /// what a server does of itself; a request with no part is answered with -32601.
    pub fn on(mut self, on: &str, acts: impl Into<Vec<Act>>) -> Self {
        self.parts.push(Part { on: on.to_owned(), when: None, acts: acts.into() });
        self
    }

    /// The same for messages with this text in them, which goes before the rest.
    pub fn on_when(mut self, on: &str, text: &str, acts: impl Into<Vec<Act>>) -> Self {
        let part = Part { on: on.to_owned(), when: Some(text.to_owned()), acts: acts.into() };
        self.parts.insert(0, part);
        self
    }

    /// What happens when this tool is called.
    pub fn on_call(self, tool: &str, acts: impl Into<Vec<Act>>) -> Self {
        self.on(&format!("tools/call {tool}"), acts)
    }

    /// What happens before the first message is read.
    pub fn at_start(mut self, acts: impl Into<Vec<Act>>) -> Self {
        self.opening = acts.into();
        self
    }

    /// Writes one byte at a time.
    pub fn trickling(mut self) -> Self {
        self.manners.trickles = true;
        self
    }

    /// Does not end when its input does.
    pub fn ignoring_end(mut self) -> Self {
        self.manners.ignores_end = true;
        self
    }

    /// Does not end at `SIGTERM` either.
    pub fn ignoring_term(mut self) -> Self {
        self.manners.ignores_term = true;
        self.ignoring_end()
    }

    /// The script as one argument of a process.
    pub fn to_argument(&self) -> String {
        serde_json::to_string(self).unwrap()
    }

    /// The part for a message, with its number.
    pub(crate) fn part(
        &self,
        method: &str,
        name: Option<&str>,
        message: &str,
    ) -> Option<(usize, &Part)> {
        if let Some(modern) = self.to_modern.as_ref().filter(|_| message.contains(MODERN)) {
            let found = modern.part(method, name, message);
            return found.map(|(number, part)| (self.parts.len() + number, part));
        }
        let named = name.map(|name| format!("{method} {name}"));
        let find = |request: &str| {
            let fits = |part: &Part| {
                let text = part.when.as_ref();
                matches(&part.on, request) && text.is_none_or(|text| message.contains(text))
            };
            self.parts.iter().enumerate().find(|(_, part)| fits(part))
        };
        named.and_then(|named| find(&named)).or_else(|| find(method))
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
        None => pattern == text,
    }
}
