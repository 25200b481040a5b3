//! What can be counted, as Prometheus reads it.
//!
//! Labels are servers of the configuration and words of ours: nothing that a caller chooses, so that
//! nobody can make their number grow. Which series there are, and what each says, is in
//! `toolgate_types::MetricSeries`, from which they are registered here and documented elsewhere. What
//! others keep count of is read when somebody asks, in `metrics/readings.rs`.

mod calls;
mod readings;
mod register;
mod server_labels;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use toolgate_types::{CallEnding, CallRef, MetricSeries};

use calls::CallMetrics;
pub(crate) use readings::GatewayReadings;
use readings::ReadMetrics;
use register::add;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusalLabels {
    status: u32,
}

/// The counters of a gateway.
pub(crate) struct GatewayMetrics {
    registry: Registry,
    calls: CallMetrics,
    read: ReadMetrics,
    http: HttpMetrics,
    lines: LineMetrics,
}

/// Of clients that speak HTTP.
#[derive(Default)]
struct HttpMetrics {
    requests: Counter<u64, AtomicU64>,
    refused: Family<RefusalLabels, Counter>,
    connections: Gauge,
    turned_away: Counter<u64, AtomicU64>,
}

/// Of clients that speak in lines.
#[derive(Default)]
struct LineMetrics {
    connections: Gauge,
    requests: Counter<u64, AtomicU64>,
    refused: Counter<u64, AtomicU64>,
}

impl Default for GatewayMetrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix(MetricSeries::PREFIX);
        let (calls, read) = (CallMetrics::default(), ReadMetrics::default());
        let (http, lines) = (HttpMetrics::default(), LineMetrics::default());
        calls.register(&mut registry);
        read.register(&mut registry);
        http.register(&mut registry);
        lines.register(&mut registry);
        Self { registry, calls, read, http, lines }
    }
}

impl HttpMetrics {
    fn register(&self, registry: &mut Registry) {
        add(registry, MetricSeries::HTTP_REQUESTS, &self.requests);
        add(registry, MetricSeries::HTTP_REFUSED, &self.refused);
        add(registry, MetricSeries::HTTP_CONNECTIONS, &self.connections);
        add(registry, MetricSeries::HTTP_TURNED_AWAY, &self.turned_away);
    }
}

impl LineMetrics {
    fn register(&self, registry: &mut Registry) {
        add(registry, MetricSeries::STDIO_REQUESTS, &self.requests);
        add(registry, MetricSeries::STDIO_REFUSED, &self.refused);
        add(registry, MetricSeries::STDIO_CONNECTIONS, &self.connections);
    }
}

/// While it is held, a connection is counted.
pub(crate) struct ConnectionGauge(Gauge);

impl GatewayMetrics {
    pub(crate) fn ended(&self, call: &CallRef, duration: Duration, ending: CallEnding) {
        self.calls.ended(call, duration, ending);
    }

    pub(crate) fn requested(&self) {
        self.http.requests.inc();
    }

    pub(crate) fn refused(&self, status: u16) {
        self.http.refused.get_or_create(&RefusalLabels { status: status.into() }).inc();
    }

    pub(crate) fn connected(&self) -> ConnectionGauge {
        self.http.connections.inc();
        ConnectionGauge(self.http.connections.clone())
    }

    pub(crate) fn turned_away(&self) {
        self.http.turned_away.inc();
    }

    pub(crate) fn requested_in_line(&self) {
        self.lines.requests.inc();
    }

    pub(crate) fn refused_line(&self) {
        self.lines.refused.inc();
    }

    pub(crate) fn attached(&self) -> ConnectionGauge {
        self.lines.connections.inc();
        ConnectionGauge(self.lines.connections.clone())
    }

    /// Everything, as text.
    pub(crate) fn written(&self, readings: &GatewayReadings) -> String {
        self.read.take_over(readings, self.calls.servers());
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests;
