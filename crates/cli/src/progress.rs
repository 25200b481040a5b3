//! What is seen while a verb waits for a server: a spinner on a terminal, plain lines with `-v`.
//!
//! Everything goes to standard error with secrets masked, and the spinner is gone when the verb is
//! done.

use parking_lot::Mutex;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use toolgate_daemon::{Onlooker, RunObserver};
use toolgate_mask::Masker;
use toolgate_types::config::{Config, Stderr, Transport};
use toolgate_types::{CorrelationId, HostEvent, HostListener, ServerId, visible};

use toolgate_terminal::{CommandOutput, OutputStream, PrintableText, Spinner};

/// What is told only so that somebody hears something is less.
const SIGN_OF_LIFE: f64 = 1e-3;

/// The eyes of the person who waits.
pub(crate) struct ProgressSink {
    spinner: Option<Spinner>,
    quiet: bool,
    verbose: bool,
    masker: Masker,
    /// Servers that were given our standard error.
    inheriting: Mutex<HashSet<ServerId>>,
    /// The last call that began.
    call: Mutex<Option<CorrelationId>>,
}

#[derive(Deserialize)]
struct ProgressReport {
    progress: Option<Number>,
    total: Option<Number>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct LogParams {
    level: Option<String>,
    data: Option<Value>,
}

impl ProgressSink {
    pub(crate) fn new(output: &CommandOutput, masker: &Masker) -> Self {
        let quiet = output.is_quiet() || output.json;
        let spinner = if quiet { None } else { Spinner::new() };
        let (verbose, masker) = (output.is_verbose(), masker.clone());
        Self {
            spinner,
            quiet,
            verbose,
            masker,
            inheriting: Mutex::default(),
            call: Mutex::default(),
        }
    }

    /// Makes way for something else on the terminal.
    pub(crate) fn pause(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.pause();
        }
    }

    /// Comes back after a pause.
    pub(crate) fn resume(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.resume();
        }
    }

    /// Wipes the spinner away.
    pub(crate) fn clear(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.clear();
        }
    }

    /// A line, with its end; the spinner makes way for it.
    fn print(&self, line: &[u8]) {
        let line = PrintableText::lines(&String::from_utf8_lossy(line));
        let write = || {
            let _ = OutputStream::Remarks.put(&line);
        };
        match &self.spinner {
            Some(spinner) => spinner.make_way(write),
            None => write(),
        }
    }

    /// A server's log message, as it came.
    pub(crate) fn server_says(&self, server: &str, message: &RawValue) {
        let Ok(LogParams { level, data }) = serde_json::from_str(message.get()) else { return };
        let level = level.unwrap_or_default();
        let masker = &self.masker;
        let words = match data.unwrap_or_default() {
            Value::String(text) => masker.mask_text(&text).into_owned(),
            other => masker.mask_json(&other.to_string()).into_owned(),
        };
        let level = visible(&masker.mask_text(&level));
        self.say(&format!("{server}: {level}: {}", visible(&words)));
    }

    /// A line, only with `-v`.
    fn say(&self, line: &str) {
        if self.verbose {
            self.print(format!("{line}\n").as_bytes());
        }
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

impl Onlooker for ProgressSink {
    fn doing(&self, what: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.say(what);
            spinner.turn();
        }
    }

    fn report(&self, report: &RawValue) {
        let Ok(report) = serde_json::from_str::<ProgressReport>(report.get()) else { return };
        let text = report.text(&self.masker);
        match &self.spinner {
            Some(spinner) => {
                if let Some(done) = report.share() {
                    spinner.show_share(done);
                }
                spinner.say(&text);
            }
            None => self.say(&format!("progress: {text}")),
        }
    }

    fn is_watched(&self) -> bool {
        self.spinner.is_some() || self.verbose
    }

    fn remark(&self, words: &str) {
        if !self.quiet {
            self.print(format!("{}\n", visible(words)).as_bytes());
        }
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
            let line = PrintableText::line(&self.masker.mask_text(line)).ended();
            self.print(line.as_str().as_bytes());
        }
    }
}

impl RunObserver for ProgressSink {
    fn log_line(&self, line: &[u8]) {
        self.print(line);
    }

    /// A server that is given our standard error would write to the terminal what it likes. Where it
    /// is one, its lines come to us instead, and are said with nothing hidden in them.
    fn speak_for_servers(&self, config: &mut Config) {
        let mut inheriting = self.inheriting.lock();
        inheriting.extend(keep_from_terminal(config));
    }
}

impl ProgressReport {
    /// `3/10 message`, as far as it was told.
    fn text(&self, masker: &Masker) -> String {
        let done = match (&self.progress, &self.total) {
            (Some(progress), Some(total)) => Some(format!("{progress}/{total}")),
            (Some(progress), None) if is_a_count(progress) => Some(progress.to_string()),
            (Some(_) | None, None) | (None, Some(_)) => None,
        };
        let words = self.message.as_deref().map(|text| visible(&masker.mask_text(text)));
        done.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// How much of the whole is done, where the whole is known.
    fn share(&self) -> Option<f64> {
        let (done, total) = (self.progress.as_ref()?.as_f64()?, self.total.as_ref()?.as_f64()?);
        (total > 0.0).then(|| (done / total).clamp(0.0, 1.0))
    }
}

/// Whether it is more than a sign of life, which has to rise and means nothing.
fn is_a_count(progress: &Number) -> bool {
    progress.as_f64().is_none_or(|progress| progress == 0.0 || progress.abs() >= SIGN_OF_LIFE)
}
