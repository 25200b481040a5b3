//! What can be counted, as Prometheus reads it.
//!
//! Labels are servers of the configuration and words of ours: nothing that a caller chooses, so that
//! nobody can make their number grow.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use toolgate_types::{CallRef, Ending};

/// From half a millisecond, where most local calls are, to five minutes, where they are given up.
const SECONDS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 60.0, 300.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    server: String,
    kind: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    server: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Because {
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Status(u16);

impl EncodeLabelValue for Status {
    fn encode(
        &self,
        encoder: &mut prometheus_client::encoding::LabelValueEncoder<'_>,
    ) -> Result<(), std::fmt::Error> {
        EncodeLabelValue::encode(&u64::from(self.0), encoder)
    }
}

/// The counters of a gateway.
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<Call, Counter>,
    seconds: Family<Of, Histogram, fn() -> Histogram>,
    refused: Family<Because, Counter>,
    connections: Gauge,
    unknown: Gauge<i64>,
    turned_away: Counter<u64, AtomicU64>,
    sessions: Gauge<i64>,
    requests: Counter<u64, AtomicU64>,
    lines: Lines,
}

/// Of clients that speak in lines.
#[derive(Default)]
struct Lines {
    connections: Gauge,
    requests: Counter<u64, AtomicU64>,
    refused: Counter<u64, AtomicU64>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("toolgate");
        let buckets: fn() -> Histogram = || Histogram::new(SECONDS);
        let metrics = Self {
            calls: Family::default(),
            seconds: Family::new_with_constructor(buckets),
            refused: Family::default(),
            connections: Gauge::default(),
            unknown: Gauge::default(),
            turned_away: Counter::default(),
            sessions: Gauge::default(),
            requests: Counter::default(),
            lines: Lines::default(),
            registry: Registry::default(),
        };
        let Self { calls, seconds, refused, connections, sessions, requests, lines, .. } = &metrics;
        let Self { unknown, turned_away, .. } = &metrics;
        registry.register("calls", "Operations that servers were asked for", calls.clone());
        registry.register("call_seconds", "How long they took, all steps", seconds.clone());
        registry.register("http_requests", "Requests over HTTP", requests.clone());
        registry.register("http_refused", "Requests that were refused", refused.clone());
        registry.register("http_connections", "Open connections", connections.clone());
        let help = "Open connections that have not shown a token";
        registry.register("http_connections_unknown", help, unknown.clone());
        let help = "Connections that were closed for want of room or of a token";
        registry.register("http_turned_away", help, turned_away.clone());
        registry.register("stdio_requests", "Requests over stdio", lines.requests.clone());
        registry.register("stdio_refused", "Lines that were refused", lines.refused.clone());
        registry.register("stdio_connections", "Attached clients", lines.connections.clone());
        registry.register("sessions", "Open sessions of the older era", sessions.clone());
        Self { registry, ..metrics }
    }
}

/// While it is held, a connection is counted.
pub(crate) struct Connected(Gauge);

impl Metrics {
    pub(crate) fn ended(&self, call: &CallRef, duration: Duration, ending: Ending) {
        let server = call.server.as_ref().map_or("", |server| server.as_str());
        let outcome = match ending {
            Ending::Done => "done",
            Ending::ToolError => "tool_error",
            Ending::InputRequired => "input_required",
            Ending::Aborted => "aborted",
            Ending::Failed(code) => code.as_str(),
        };
        let server = server.to_owned();
        let labels = Call { server: server.clone(), kind: call.word, outcome };
        self.calls.get_or_create(&labels).inc();
        self.seconds.get_or_create(&Of { server }).observe(duration.as_secs_f64());
    }

    pub(crate) fn requested(&self) {
        self.requests.inc();
    }

    pub(crate) fn refused(&self, status: u16) {
        self.refused.get_or_create(&Because { status: Status(status) }).inc();
    }

    pub(crate) fn connected(&self) -> Connected {
        self.connections.inc();
        Connected(self.connections.clone())
    }

    pub(crate) fn turned_away(&self) {
        self.turned_away.inc();
    }

    pub(crate) fn requested_in_line(&self) {
        self.lines.requests.inc();
    }

    pub(crate) fn refused_line(&self) {
        self.lines.refused.inc();
    }

    pub(crate) fn attached(&self) -> Connected {
        self.lines.connections.inc();
        Connected(self.lines.connections.clone())
    }

    /// Everything, as text.
    pub(crate) fn written(&self, sessions: usize, unknown: usize) -> String {
        self.sessions.set(i64::try_from(sessions).unwrap_or(i64::MAX));
        self.unknown.set(i64::try_from(unknown).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}
