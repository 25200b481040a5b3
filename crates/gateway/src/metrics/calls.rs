//! How calls ended, with which errors, and how long they took.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use toolgate_types::{CallEnding, CallRef, Code, MetricSeries};

use super::register::add;
use super::server_labels::ServerLabels;

/// From half a millisecond, where most local calls are, to five minutes, where they are given up.
const SECONDS: [f64; 10] = [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 300.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    server: Arc<str>,
    kind: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    server: Arc<str>,
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ServerLabel {
    pub(super) server: Arc<str>,
}

pub(super) struct CallMetrics {
    servers: ServerLabels,
    calls: Family<CallLabels, Counter>,
    errors: Family<ErrorLabels, Counter>,
    seconds: Family<ServerLabel, Histogram, fn() -> Histogram>,
}

impl Default for CallMetrics {
    fn default() -> Self {
        Self {
            servers: ServerLabels::default(),
            calls: Family::default(),
            errors: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
        }
    }
}

impl CallMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        add(registry, MetricSeries::CALLS, &self.calls);
        add(registry, MetricSeries::CALL_ERRORS, &self.errors);
        add(registry, MetricSeries::CALL_SECONDS, &self.seconds);
    }

    pub(super) fn servers(&self) -> &ServerLabels {
        &self.servers
    }

    pub(super) fn ended(&self, call: &CallRef, duration: Duration, ending: CallEnding) {
        let server = match &call.server {
            None => self.servers.none(),
            // Whoever asks for what is not there may ask a server that is not there.
            Some(server) if ending == CallEnding::Failed(Code::NotFound) => {
                self.servers.of_unsure(server)
            }
            Some(server) => self.servers.of(server),
        };
        let outcome = match ending {
            CallEnding::Done => "done",
            CallEnding::ToolError => "tool_error",
            CallEnding::InputRequired => "input_required",
            CallEnding::Task => "task",
            CallEnding::Aborted => "aborted",
            CallEnding::Failed(code) => {
                let labels = ErrorLabels { server: Arc::clone(&server), code: code.as_str() };
                self.errors.get_or_create(&labels).inc();
                "failed"
            }
        };
        let labels = CallLabels { server: Arc::clone(&server), kind: call.word, outcome };
        self.calls.get_or_create(&labels).inc();
        self.seconds.get_or_create(&ServerLabel { server }).observe(duration.as_secs_f64());
    }
}
