//! What is seen while a verb waits for a server: a spinner on a terminal, plain lines with `-v`.
//!
//! Everything goes to standard error with secrets masked, and the spinner is gone when the verb is
//! done.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use toolgate_types::{CorrelationId, HostEvent, HostListener, Masker, visible};

use crate::hosting::Onlooker;
use crate::output::Output;

const TICK: Duration = Duration::from_millis(100);

/// The parts of a bar, whatever the server counts in.
const STEPS: u64 = 1000;

/// What is told only so that somebody hears something is less.
const SIGN_OF_LIFE: f64 = 1e-3;

/// The eyes of the person who waits.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    verbose: bool,
    masker: Masker,
    /// The last call that began.
    call: Mutex<Option<CorrelationId>>,
}

#[derive(Deserialize)]
struct Report {
    progress: Option<Number>,
    total: Option<Number>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Log {
    level: Option<String>,
    data: Option<Value>,
}

impl Progress {
    pub(crate) fn new(output: &Output, masker: &Masker) -> Self {
        let quiet = output.is_quiet() || output.json;
        let wanted = !quiet && std::io::stderr().is_terminal();
        let bar =
            wanted.then(|| ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}")));
        let (verbose, masker) = (output.is_verbose(), masker.clone());
        Self { bar, quiet, verbose, masker, call: Mutex::default() }
    }

    /// Makes way for something else on the terminal.
    pub(crate) fn pause(&self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.finish_and_clear();
        }
    }

    /// Comes back after a pause.
    pub(crate) fn resume(&self) {
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.enable_steady_tick(TICK);
        }
    }

    /// Wipes the spinner away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A line that is ready to be seen, with its end; the spinner makes way for it.
    pub(crate) fn print(&self, line: &[u8]) {
        let write = || {
            let _ = std::io::stderr().lock().write_all(line);
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// A server's log message, as it came.
    pub(crate) fn server_says(&self, server: &str, message: &RawValue) {
        let Ok(Log { level, data }) = serde_json::from_str(message.get()) else { return };
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

impl Onlooker for Progress {
    fn doing(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(visible(what));
            bar.enable_steady_tick(TICK);
        }
    }

    fn report(&self, report: &RawValue) {
        let Ok(report) = serde_json::from_str::<Report>(report.get()) else { return };
        let text = report.text(&self.masker);
        match &self.bar {
            Some(bar) => {
                if let Some(done) = report.share() {
                    bar.set_style(style("{spinner} [{bar:24}] {wide_msg}"));
                    bar.set_length(STEPS);
                    // From 0 to 1, so it fits.
                    bar.set_position((done * STEPS as f64) as u64);
                }
                bar.set_message(text);
            }
            None => self.say(&format!("progress: {text}")),
        }
    }

    fn is_watched(&self) -> bool {
        self.bar.is_some() || self.verbose
    }

    fn remark(&self, words: &str) {
        if !self.quiet {
            self.print(format!("{}\n", visible(words)).as_bytes());
        }
    }

    fn correlation(&self) -> Option<String> {
        let call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        call.as_ref().map(ToString::to_string)
    }
}

impl HostListener for Progress {
    fn happened(&self, event: HostEvent) {
        match event {
            HostEvent::CallBegan { call } => {
                *self.call.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(call.correlation.clone());
            }
            HostEvent::Log { server, message } => self.server_says(server.as_str(), &message),
            _ => {}
        }
    }
}

impl Report {
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

fn style(template: &str) -> ProgressStyle {
    // Templates of this file; a test draws them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
