//! A spinner on standard error, or a bar once it is known how much is done. What it says is made
//! printable here; when it is seen is for others to decide.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use toolgate_types::visible;

use crate::output_stream::OutputStream;

const TICK: Duration = Duration::from_millis(100);

/// The parts of a bar, whatever is counted.
const STEPS: u64 = 1000;

/// What turns while something is under way.
#[derive(Debug)]
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// None where nobody would see it.
    pub(crate) fn new() -> Option<Self> {
        let bar = || ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}"));
        OutputStream::Remarks.is_terminal().then(|| Self(bar()))
    }

    pub(crate) fn say(&self, words: &str) {
        self.0.set_message(visible(words));
    }

    pub(crate) fn turn(&self) {
        self.0.enable_steady_tick(TICK);
    }

    /// From 0 to 1.
    pub(crate) fn show_share(&self, done: f64) {
        self.0.set_style(style("{spinner} [{bar:24}] {wide_msg}"));
        self.0.set_length(STEPS);
        // From 0 to 1, so it fits.
        self.0.set_position((done * STEPS as f64) as u64);
    }

    /// Makes way for something else on the terminal.
    pub(crate) fn pause(&self) {
        self.0.disable_steady_tick();
        self.0.finish_and_clear();
    }

    /// Comes back after a pause.
    pub(crate) fn resume(&self) {
        self.0.reset();
        self.turn();
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }

    pub(crate) fn make_way(&self, for_this: impl FnOnce()) {
        self.0.suspend(for_this);
    }
}

fn style(template: &str) -> ProgressStyle {
    // Templates of this file; a test draws them.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
