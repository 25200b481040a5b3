//! The eyes of the person who waits for a server: what a run tells, masked, on their terminal.

use std::collections::HashSet;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use toolgate_daemon::{Onlooker, RunObserver};
use toolgate_mask::Masker;
use toolgate_terminal::{
    CommandOutput, OutputStream, PrintableText, ProgressDisplay, ProgressReport, ServerLogLine,
};
use toolgate_types::config::{Config, Stderr, Transport};
use toolgate_types::{CorrelationId, HostEvent, HostListener, PrintedStream, ServerId};

pub(crate) struct ProgressSink {
    pub(crate) display: ProgressDisplay,
    masker: Masker,
    /// Servers that were given our standard error.
    inheriting: Mutex<HashSet<ServerId>>,
    /// The last call that began.
    call: Mutex<Option<CorrelationId>>,
}

impl ProgressSink {
    pub(crate) fn new(output: &CommandOutput, masker: &Masker) -> Self {
        let (display, masker) = (ProgressDisplay::new(output), masker.clone());
        Self { display, masker, inheriting: Mutex::default(), call: Mutex::default() }
    }

    /// A server's log message, as it came.
    pub(crate) fn server_says(&self, server: &str, message: &RawValue) {
        let Some(said) = ServerLogLine::read(message) else { return };
        let mask_json = |json: &str| self.masker.mask_json(json).into_owned();
        let words = said.text(|text| self.masked(text), mask_json);
        self.display.say(&format!("{server}: {words}"));
    }

    fn masked(&self, text: &str) -> String {
        self.masker.mask_text(text).into_owned()
    }
}

/// Takes the terminal from servers that would inherit it, and says which these are.
pub(crate) fn keep_from_terminal(config: &mut Config) -> Vec<ServerId> {
    if !OutputStream::Remarks.is_terminal() {
        return Vec::new();
    }
    let mut kept = Vec::new();
    for (id, entry) in &mut config.servers {
        if let Transport::Stdio(stdio) = &mut entry.value.transport
            && stdio.stderr == Stderr::Inherit
        {
            stdio.stderr = Stderr::Pipe;
            kept.push(id.clone());
        }
    }
    kept
}

#[async_trait]
impl Onlooker for ProgressSink {
    fn doing(&self, what: &str) {
        self.display.doing(what);
    }

    fn report(&self, report: &RawValue) {
        if let Some(report) = ProgressReport::read(report) {
            self.display.report(&report, |text| self.masked(text));
        }
    }

    fn is_watched(&self) -> bool {
        self.display.is_watched()
    }

    fn remark(&self, words: &str) {
        self.display.remark(words);
    }

    async fn printed(&self, stream: PrintedStream, bytes: Vec<u8>) {
        // From now on the terminal is the command's.
        self.display.clear();
        let stream = match stream {
            PrintedStream::Stdout => OutputStream::Data,
            PrintedStream::Stderr => OutputStream::Remarks,
        };
        // Whoever reads may be slow, and an interruption is heard meanwhile.
        let _ = tokio::task::spawn_blocking(move || stream.pass(&bytes)).await;
    }

    fn correlation(&self) -> Option<String> {
        let call = self.call.lock();
        call.as_ref().map(ToString::to_string)
    }
}

impl HostListener for ProgressSink {
    fn happened(&self, event: HostEvent) {
        match event {
            HostEvent::CallBegan { call } => {
                *self.call.lock() = Some(call.correlation.clone());
            }
            HostEvent::Log { server, message } => self.server_says(server.as_str(), &message),
            _ => {}
        }
    }

    fn complained(&self, server: &ServerId, line: &str) {
        let inheriting = self.inheriting.lock();
        if inheriting.contains(server) {
            self.display.print(&PrintableText::line(&self.masked(line)).ended());
        }
    }
}

impl RunObserver for ProgressSink {
    fn log_line(&self, line: &[u8]) {
        self.display.print(&PrintableText::lines(&String::from_utf8_lossy(line)));
    }

    /// A server that is given our standard error would write to the terminal what it likes. Where it
    /// is one, its lines come to us instead, and are said with nothing hidden in them.
    fn speak_for_servers(&self, config: &mut Config) {
        let mut inheriting = self.inheriting.lock();
        inheriting.extend(keep_from_terminal(config));
    }
}
