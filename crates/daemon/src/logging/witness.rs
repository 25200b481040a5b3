//! Sees what happens in a host, and tells both the log and the person who waits.
//!
//! What a server wrote is masked here already, before it is cut: half a secret would not be known
//! for one at the writer. It stands in fields of its own, never in the sentence of a line.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_mask::Masker;
use toolgate_types::{
    CallEnding, CallRef, HostEvent, HostListener, ListKind, ServerId, ServerState,
};
use tracing::Level;

use super::call_end::ending_words;
use super::{TARGET, Traces};
use crate::RunObserver;

/// The most that one line takes over from others.
const SHOWN_BYTES: usize = 4096;

/// A line of ours.
macro_rules! log {
    ($level:expr, $($line:tt)+) => {
        match $level {
            Level::ERROR => log!(@error $($line)+),
            Level::WARN => log!(@warn $($line)+),
            Level::INFO => log!(@info $($line)+),
            Level::DEBUG => log!(@debug $($line)+),
            Level::TRACE => log!(@trace $($line)+),
        }
    };
    (@$level:ident $($line:tt)+) => {
        tracing::$level!(target: TARGET, $($line)+)
    };
}

/// The listener of a run.
pub struct LogWitness {
    observer: Arc<dyn RunObserver>,
    masker: Masker,
    traces: Arc<Traces>,
}

/// A server's log message.
#[derive(Deserialize)]
struct ServerLogMessage<'a> {
    #[serde(borrow)]
    level: Option<&'a RawValue>,
    #[serde(borrow)]
    logger: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl LogWitness {
    pub(crate) fn new(
        observer: &Arc<dyn RunObserver>,
        masker: &Masker,
        traces: &Arc<Traces>,
    ) -> Self {
        let (observer, traces) = (Arc::clone(observer), Arc::clone(traces));
        Self { observer, masker: masker.clone(), traces }
    }

    /// The run itself, for who reads the file later.
    pub fn began(&self, servers: usize) {
        log!(Level::INFO, version = env!("CARGO_PKG_VERSION"), servers, "run began");
    }

    pub fn ended(&self) {
        log!(Level::INFO, "run ended");
    }

    fn log(&self, event: &HostEvent) {
        match event {
            HostEvent::State { server, state, error } => {
                let level = match state {
                    ServerState::Error
                    | ServerState::AuthRequired
                    | ServerState::RegistrationRequired => Level::WARN,
                    _ => Level::INFO,
                };
                let (server, state) = (server.as_str(), state.as_str());
                let error = error.as_deref().map(|error| self.shown(error));
                log!(level, server, state, error, "server state");
            }
            HostEvent::StartupComplete { ready, failed } => {
                let level = if failed.is_empty() { Level::INFO } else { Level::WARN };
                let ready = joined(ready.iter());
                let failed = joined(failed.iter().map(|(server, _)| server));
                log!(level, ready, failed, "start-up complete");
            }
            HostEvent::ListChanged { server, list } => {
                let (server, list) = (server.as_str(), list_word(*list));
                log!(Level::INFO, server, list, "list changed");
            }
            HostEvent::ListCame { server, list } => {
                let (server, list) = (server.as_str(), list_word(*list));
                log!(Level::DEBUG, server, list, "list came");
            }
            HostEvent::Pinned { server, tools } => {
                let tools = self.shown(&tools.join(" "));
                log!(Level::INFO, server = server.as_str(), tools, "new tools pinned");
            }
            HostEvent::Drifted { server, tool, severity } => {
                let (tool, severity) = (self.shown(tool), severity.as_str());
                log!(Level::WARN, server = server.as_str(), tool, severity, "definition changed");
            }
            HostEvent::InstructionsChanged { server } => {
                log!(Level::WARN, server = server.as_str(), "instructions changed");
            }
            HostEvent::PinsFailed { server, error } => {
                let error = self.shown(error);
                log!(Level::WARN, server = server.as_str(), error, "pins failed");
            }
            HostEvent::ElicitationComplete { server, .. } => {
                log!(Level::DEBUG, server = server.as_str(), "elicitation complete");
            }
            HostEvent::ResourceUpdated { server, uri } => {
                let (server, uri) = (server.as_str(), self.shown(uri));
                log!(Level::DEBUG, server, uri, "resource updated");
            }
            HostEvent::Network { server, decision } => {
                let (server, decision) = (server.as_str(), self.shown(&decision.to_string()));
                log!(Level::INFO, server, decision, "network");
            }
            HostEvent::LoginNeeded { server } => {
                log!(Level::WARN, server = server.as_str(), "login needed");
            }
            HostEvent::Log { server, message } => self.said(server, message),
            // At `debug`, like the end of a call that went well: it has its record, and a line in a
            // file costs more than everything else that is done for a call.
            HostEvent::CallBegan { call } if tracing::enabled!(target: TARGET, Level::DEBUG) => {
                let CallRef { correlation, server, word, target, .. } = &**call;
                let (call, name) = (correlation.as_str(), self.shown(target));
                let server = server.as_ref().map(ServerId::as_str);
                log!(Level::DEBUG, call, server, operation = word, name, "call began");
            }
            HostEvent::CallBegan { .. } => {}
            HostEvent::CallEnded { ending: CallEnding::Done, .. } if !tracing::enabled!(target: TARGET, Level::DEBUG) =>
                {}
            HostEvent::CallEnded { call, duration, ending } => {
                let CallRef { correlation, server, word: operation, target, .. } = &**call;
                let (call, name) = (correlation.as_str(), self.shown(target));
                let server = server.as_ref().map(ServerId::as_str);
                let (level, ending, code) = ending_words(*ending);
                let duration_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
                log!(level, call, server, operation, name, duration_us, ending, code, "call ended");
            }
        }
    }

    fn said(&self, server: &ServerId, message: &RawValue) {
        let said = serde_json::from_str(message.get());
        let said =
            said.unwrap_or(ServerLogMessage { level: None, logger: None, data: Some(message) });
        let word = said.level.map(|level| self.words(level));
        let level = match word.as_deref() {
            Some("debug") => Level::DEBUG,
            Some("warning") => Level::WARN,
            Some("error" | "critical" | "alert" | "emergency") => Level::ERROR,
            _ => Level::INFO,
        };
        let logger = said.logger.map(|logger| self.words(logger));
        let data = said.data.map(|data| self.words(data));
        log!(level, server = server.as_str(), severity = word, logger, data, "server says");
    }

    /// A text as itself, any other JSON as it is written.
    fn words(&self, json: &RawValue) -> String {
        match serde_json::from_str::<String>(json.get()) {
            Ok(text) => self.shown(&text),
            Err(_) => cut(&self.masker.mask_json(json.get())),
        }
    }

    fn shown(&self, text: &str) -> String {
        cut(&self.masker.mask_text(text))
    }
}

impl fmt::Debug for LogWitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogWitness").finish_non_exhaustive()
    }
}

impl HostListener for LogWitness {
    fn happened(&self, event: HostEvent) {
        self.log(&event);
        if let HostEvent::CallEnded { call, duration, ending } = &event {
            self.traces.ended(call, *duration, *ending, |text| self.shown(text));
        }
        self.observer.happened(event);
    }

    /// At `info`: what a server complained of yesterday is nowhere else. A talkative one costs
    /// space that is bounded, and nobody sees it unasked.
    fn complained(&self, server: &ServerId, line: &str) {
        log!(Level::INFO, server = server.as_str(), line = self.shown(line), "server stderr");
        self.observer.complained(server, line);
    }
}

fn cut(text: &str) -> String {
    match text.len() > SHOWN_BYTES {
        true => format!("{}…", &text[..text.floor_char_boundary(SHOWN_BYTES)]),
        false => text.to_owned(),
    }
}

fn joined<'a>(servers: impl Iterator<Item = &'a ServerId>) -> String {
    servers.map(ServerId::as_str).collect::<Vec<_>>().join(" ")
}

fn list_word(list: ListKind) -> &'static str {
    match list {
        ListKind::Tools => "tools",
        ListKind::Resources => "resources",
        ListKind::ResourceTemplates => "resource templates",
        ListKind::Prompts => "prompts",
    }
}
