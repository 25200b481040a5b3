//! The logs of a run: lines of JSON in a file that rotates, and on standard error for who asks.
//!
//! What is logged, and traced, is in `logging/witness.rs`; how a line is masked on its way out, in
//! `logging/line.rs`. What became of a call in detail is the audit's: the log has its reference.

mod call_end;
mod file;
mod level;
mod line;
mod log_reader;
mod traces;
mod witness;

use std::path::Path;
use std::sync::Arc;

use toolgate_config::Variables;
use toolgate_control::CommandFailure;
use toolgate_mask::Masker;
use toolgate_types::{LogLevel, visible};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::{RunConsole, RunObserver, counted};
use file::LogFile;
pub use file::{KEPT as LOGS_KEPT, NAME as LOG_FILE};
pub use level::{LogFormat, LogThreshold};
use line::{LineSink, LogLines};
pub use log_reader::LogFileReader;
pub(crate) use traces::Traces;
pub use witness::LogWitness;

/// The target of our own lines, and what those of our libraries begin with; whatever has another is
/// someone else's.
const TARGET: &str = "toolgate";

const LEVEL_VARIABLE: &str = "TOOLGATE_LOG";

/// What the person said about logs.
#[derive(Debug, Clone, Copy)]
pub struct LogChoice {
    pub level: Option<LogThreshold>,
    pub format: Option<LogFormat>,
}

/// The logs of a run that began.
#[derive(Debug)]
pub struct RunLogs {
    file: Option<Arc<LogFile>>,
    traces: Arc<Traces>,
}

impl LogChoice {
    /// Whether the person wants to see the log of this very run.
    pub fn is_wanted_here(self) -> bool {
        self.level.is_some() || self.format.is_some()
    }

    /// What servers are asked to say. Without a word of the person nothing: a server that is not
    /// asked behaves as with any other client.
    pub fn asked_of_servers(self, verbose: bool) -> Option<LogLevel> {
        match self.level {
            Some(LogThreshold::Debug | LogThreshold::Trace) => Some(LogLevel::Debug),
            Some(LogThreshold::Info) => Some(LogLevel::Info),
            _ if verbose => Some(LogLevel::Info),
            Some(LogThreshold::Warn) => Some(LogLevel::Warning),
            Some(LogThreshold::Error) => Some(LogLevel::Error),
            Some(LogThreshold::Off) | None => None,
        }
    }

    /// Begins to log. A file that cannot be written costs a warning.
    pub(crate) fn begin(
        self,
        folder: Result<&Path, &CommandFailure>,
        variables: &Variables,
        masker: &Masker,
        observer: &Arc<dyn RunObserver>,
        console: &mut dyn RunConsole,
    ) -> RunLogs {
        let traces = Arc::new(Traces::begin(variables, console));
        let level = self.level.unwrap_or_else(|| level_of(variables, console));
        if level == LogThreshold::Off {
            return RunLogs { file: None, traces };
        }
        let opened = match folder {
            Ok(folder) => LogFile::open(folder).map_err(|error| error.to_string()),
            Err(failure) => Err(failure.message.clone()),
        };
        let file = match opened {
            Ok(file) => Some(Arc::new(file)),
            Err(why) => {
                console.warn(&format!("no log is written: {}", visible(&why)));
                None
            }
        };
        let to_file = file.as_ref().map(|file| {
            let file = Arc::clone(file);
            json(LogLines::json(masker, Box::new(move |line: &[u8]| file.append(line))))
        });
        let on_stderr = self.is_wanted_here().then(|| {
            let observer = Arc::clone(observer);
            let sink: LineSink = Box::new(move |line: &[u8]| observer.log_line(line));
            match self.format {
                Some(LogFormat::Json) => json(LogLines::json(masker, sink)),
                Some(LogFormat::Text) | None => layer()
                    .with_ansi(false)
                    .with_target(false)
                    .log_internal_errors(false)
                    .with_writer(LogLines::text(masker, sink))
                    .boxed(),
            }
        });
        let subscriber = Registry::default().with(filter(level)).with(to_file).with(on_stderr);
        // A process has one run, so nobody was here before.
        let _ = tracing::subscriber::set_global_default(subscriber);
        RunLogs { file, traces }
    }
}

impl RunLogs {
    /// For whoever sees operations end.
    pub(crate) fn traces(&self) -> &Arc<Traces> {
        &self.traces
    }

    /// Says what did not reach the file, or the collector of traces.
    pub fn finish(self, console: &mut dyn RunConsole) {
        self.traces.finish(console);
        let lost = self.file.map_or(0, |file| file.lost());
        if lost > 0 {
            console.warn(&format!("{} could not be logged", counted(lost, "line")));
        }
    }
}

fn json<S>(lines: LogLines) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let json = layer().json().flatten_event(true).with_current_span(false).with_span_list(false);
    json.log_internal_errors(false).with_writer(lines).boxed()
}

/// Of other people's crates only what is amiss.
fn filter(level: LogThreshold) -> Targets {
    let level = match level {
        LogThreshold::Off => LevelFilter::OFF,
        LogThreshold::Error => LevelFilter::ERROR,
        LogThreshold::Warn => LevelFilter::WARN,
        LogThreshold::Info => LevelFilter::INFO,
        LogThreshold::Debug => LevelFilter::DEBUG,
        LogThreshold::Trace => LevelFilter::TRACE,
    };
    Targets::new().with_default(level.min(LevelFilter::WARN)).with_target(TARGET, level)
}

/// The level where no flag says one.
fn level_of(variables: &Variables, console: &mut dyn RunConsole) -> LogThreshold {
    let word = variables.get(LEVEL_VARIABLE).map_or("", |word| word.trim());
    match LogThreshold::parse(word) {
        Some(level) => level,
        None if word.is_empty() => LogThreshold::Info,
        None => {
            let words = "off, error, warn, info, debug or trace";
            console.warn(&format!("{LEVEL_VARIABLE} is none of {words}; info is used"));
            LogThreshold::Info
        }
    }
}
