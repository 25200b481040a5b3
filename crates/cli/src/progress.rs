//! What is seen while a verb waits for a server: a spinner on a terminal, plain lines with `-v`.
//!
//! Everything goes to standard error, and the spinner is gone when the verb is done.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use toolgate_types::{CorrelationId, HostEvent, HostListener, visible};

use crate::output::Output;

const TICK: Duration = Duration::from_millis(100);

/// The parts of a bar, whatever the server counts in.
const STEPS: u64 = 1000;

/// The eyes of the person who waits.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    verbose: bool,
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
    pub(crate) fn new(output: &Output) -> Self {
        let wanted = !output.is_quiet() && !output.json && std::io::stderr().is_terminal();
        let bar =
            wanted.then(|| ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}")));
        Self { bar, verbose: output.is_verbose(), call: Mutex::default() }
    }

    /// Whether anybody would see a server's reports.
    pub(crate) fn is_watched(&self) -> bool {
        self.bar.is_some() || self.verbose
    }

    pub(crate) fn doing(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(visible(what));
            bar.enable_steady_tick(TICK);
        }
    }

    /// A server's report, as it came.
    pub(crate) fn report(&self, report: &RawValue) {
        let Ok(report) = serde_json::from_str::<Report>(report.get()) else { return };
        let text = report.text();
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

    /// Under which id the last call was recorded.
    pub(crate) fn correlation(&self) -> Option<CorrelationId> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A line, only with `-v`.
    fn say(&self, line: &str) {
        let write = || {
            let _ = writeln!(std::io::stderr().lock(), "{line}");
        };
        match &self.bar {
            _ if !self.verbose => {}
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl HostListener for Progress {
    fn happened(&self, event: HostEvent) {
        match event {
            HostEvent::CallBegan { call } => {
                *self.call.lock().unwrap_or_else(PoisonError::into_inner) = Some(call.correlation);
            }
            HostEvent::Log { server, message } => {
                let Ok(Log { level, data }) = serde_json::from_str(message.get()) else { return };
                let level = level.unwrap_or_default();
                let words = match data.unwrap_or_default() {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                self.say(&format!("{server}: {}: {}", visible(&level), visible(&words)));
            }
            _ => {}
        }
    }
}

impl Report {
    /// `3/10 message`, as far as it was told.
    fn text(&self) -> String {
        let done = match (&self.progress, &self.total) {
            (Some(progress), Some(total)) => Some(format!("{progress}/{total}")),
            (Some(progress), None) => Some(progress.to_string()),
            (None, _) => None,
        };
        let words = self.message.as_deref().map(visible);
        done.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// How much of the whole is done, where the whole is known.
    fn share(&self) -> Option<f64> {
        let (done, total) = (self.progress.as_ref()?.as_f64()?, self.total.as_ref()?.as_f64()?);
        (total > 0.0).then(|| (done / total).clamp(0.0, 1.0))
    }
}

fn style(template: &str) -> ProgressStyle {
    // Templates of this file; a test draws them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
