//! What is seen while a verb waits: a spinner on a terminal, plain lines with `-v`. All of it goes to
//! standard error, and the spinner makes way for every line.

use crate::command_output::CommandOutput;
use crate::output_stream::OutputStream;
use crate::printable_text::PrintableText;
use crate::progress_report::ProgressReport;
use crate::spinner::Spinner;

#[derive(Debug)]
pub struct ProgressDisplay {
    spinner: Option<Spinner>,
    quiet: bool,
    verbose: bool,
}

impl ProgressDisplay {
    pub fn new(output: &CommandOutput) -> Self {
        let quiet = output.is_quiet() || output.json;
        let spinner = if quiet { None } else { Spinner::new() };
        Self { spinner, quiet, verbose: output.is_verbose() }
    }

    /// Whether anybody sees what is reported.
    pub fn is_watched(&self) -> bool {
        self.spinner.is_some() || self.verbose
    }

    /// What is waited for now.
    pub fn doing(&self, what: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.say(what);
            spinner.turn();
        }
    }

    /// How far it is.
    pub fn report(&self, report: &ProgressReport, mask: impl Fn(&str) -> String) {
        let text = report.text(mask);
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

    /// A line, unless the person wants none.
    pub fn remark(&self, words: &str) {
        if !self.quiet {
            self.print(&PrintableText::line(words).ended());
        }
    }

    /// A line, only with `-v`.
    pub fn say(&self, line: &str) {
        if self.verbose {
            self.print(&PrintableText::lines(line).ended());
        }
    }

    /// Text with its ends of lines, whatever was wanted.
    pub fn print(&self, text: &PrintableText) {
        let write = || {
            let _ = OutputStream::Remarks.put(text);
        };
        match &self.spinner {
            Some(spinner) => spinner.make_way(write),
            None => write(),
        }
    }

    /// Makes way for something else on the terminal, for as long as the answer is held.
    pub fn paused(&self) -> PausedProgress<'_> {
        let spinner = self.spinner.as_ref();
        spinner.inspect(|spinner| spinner.pause());
        PausedProgress(spinner)
    }

    /// Wipes the spinner away.
    pub fn clear(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.clear();
        }
    }
}

/// The spinner comes back, however what it made way for has ended.
#[derive(Debug)]
#[must_use]
pub struct PausedProgress<'a>(Option<&'a Spinner>);

impl Drop for PausedProgress<'_> {
    fn drop(&mut self) {
        if let Some(spinner) = self.0 {
            spinner.resume();
        }
    }
}
