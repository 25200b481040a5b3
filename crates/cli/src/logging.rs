//! The logs of a run: lines of JSON in a file that rotates, and on standard error for who asks.
//!
//! What is logged, and traced, is in `logging/witness.rs`; how a line is masked on its way out, in
//! `logging/line.rs`. What became of a call in detail is the audit's: the log has its reference.

mod file;
mod line;
mod traces;
mod watched;
mod witness;

use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use toolgate_config::Variables;
use toolgate_mask::Masker;
use toolgate_types::{LogLevel, visible};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::progress::Progress;
use file::LogFile;
pub(crate) use file::{KEPT as LOGS_KEPT, NAME as LOG_FILE};
use line::{Lines, Sink};
pub(crate) use traces::Traces;
pub(crate) use watched::Watched;
pub(crate) use witness::Witness;

/// The target of our own lines; whatever has another is someone else's.
const TARGET: &str = "toolgate";

const LEVEL_VARIABLE: &str = "TOOLGATE_LOG";

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// How lines on standard error look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatWord {
    Text,
    Json,
}

/// What the person said about logs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogChoice {
    level: Option<LevelWord>,
    format: Option<FormatWord>,
}

/// The logs of a run that began.
pub(crate) struct Logs {
    file: Option<Arc<LogFile>>,
    traces: Arc<Traces>,
}

impl LogChoice {
    pub(crate) fn new(common: &Common) -> Self {
        Self { level: common.log_level, format: common.log_format }
    }

    /// Whether the person wants to see the log of this very run.
    pub(crate) fn is_wanted_here(self) -> bool {
        self.level.is_some() || self.format.is_some()
    }

    /// What servers are asked to say. Without a word of the person nothing: a server that is not
    /// asked behaves as with any other client.
    pub(crate) fn asked_of_servers(self, verbose: bool) -> Option<LogLevel> {
        match self.level {
            Some(LevelWord::Debug | LevelWord::Trace) => Some(LogLevel::Debug),
            Some(LevelWord::Info) => Some(LogLevel::Info),
            _ if verbose => Some(LogLevel::Info),
            Some(LevelWord::Warn) => Some(LogLevel::Warning),
            Some(LevelWord::Error) => Some(LogLevel::Error),
            Some(LevelWord::Off) | None => None,
        }
    }

    /// Begins to log. A file that cannot be written costs a warning.
    pub(crate) fn begin(
        self,
        folder: Result<&Path, &Failure>,
        variables: &Variables,
        masker: &Masker,
        progress: &Arc<Progress>,
        output: &mut Output,
    ) -> Logs {
        let traces = Arc::new(Traces::begin(variables, output));
        let level = self.level.unwrap_or_else(|| level_of(variables, output));
        if level == LevelWord::Off {
            return Logs { file: None, traces };
        }
        let opened = match folder {
            Ok(folder) => LogFile::open(folder).map_err(|error| error.to_string()),
            Err(failure) => Err(failure.message.clone()),
        };
        let file = match opened {
            Ok(file) => Some(Arc::new(file)),
            Err(why) => {
                output.warning(format!("no log is written: {}", visible(&why)));
                None
            }
        };
        let to_file = file.as_ref().map(|file| {
            let file = Arc::clone(file);
            json(Lines::json(masker, Box::new(move |line: &[u8]| file.append(line))))
        });
        let on_stderr = self.is_wanted_here().then(|| {
            let progress = Arc::clone(progress);
            let sink: Sink = Box::new(move |line: &[u8]| progress.print(line));
            match self.format {
                Some(FormatWord::Json) => json(Lines::json(masker, sink)),
                Some(FormatWord::Text) | None => layer()
                    .with_ansi(false)
                    .with_target(false)
                    .log_internal_errors(false)
                    .with_writer(Lines::text(masker, sink))
                    .boxed(),
            }
        });
        let subscriber = Registry::default().with(filter(level)).with(to_file).with(on_stderr);
        // A process has one run, so nobody was here before.
        let _ = tracing::subscriber::set_global_default(subscriber);
        Logs { file, traces }
    }
}

impl Logs {
    /// For whoever sees operations end.
    pub(crate) fn traces(&self) -> &Arc<Traces> {
        &self.traces
    }

    /// Says what did not reach the file, or the collector of traces.
    pub(crate) fn finish(self, output: &mut Output) {
        self.traces.finish(output);
        let lost = self.file.map_or(0, |file| file.lost());
        if lost > 0 {
            output.warning(format!("{} could not be logged", counted(lost, "line")));
        }
    }
}

fn json<S>(lines: Lines) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let json = layer().json().flatten_event(true).with_current_span(false).with_span_list(false);
    json.log_internal_errors(false).with_writer(lines).boxed()
}

/// Of other people's crates only what is amiss.
fn filter(level: LevelWord) -> Targets {
    let level = match level {
        LevelWord::Off => LevelFilter::OFF,
        LevelWord::Error => LevelFilter::ERROR,
        LevelWord::Warn => LevelFilter::WARN,
        LevelWord::Info => LevelFilter::INFO,
        LevelWord::Debug => LevelFilter::DEBUG,
        LevelWord::Trace => LevelFilter::TRACE,
    };
    Targets::new().with_default(level.min(LevelFilter::WARN)).with_target(TARGET, level)
}

/// The level where no flag says one.
fn level_of(variables: &Variables, output: &mut Output) -> LevelWord {
    let word = variables.get(LEVEL_VARIABLE).map_or("", |word| word.trim());
    match LevelWord::from_str(word, true) {
        Ok(level) => level,
        Err(_) if word.is_empty() => LevelWord::Info,
        Err(_) => {
            let words = "off, error, warn, info, debug or trace";
            output.warning(format!("{LEVEL_VARIABLE} is none of {words}; info is used"));
            LevelWord::Info
        }
    }
}
