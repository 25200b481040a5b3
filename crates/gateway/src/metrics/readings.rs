//! What others keep count of, and is looked up when somebody asks for it: the pool, the approval
//! queue, the journals, the sessions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use toolgate_guard::AnsweredCount;
use toolgate_types::{MetricSeries, OTHER_SERVERS, ServerId};

use super::calls::ServerLabel;
use super::register::add;
use super::server_labels::ServerLabels;

/// The state of everything else at one moment.
#[derive(Debug, Default)]
pub(crate) struct GatewayReadings {
    pub(crate) sessions: usize,
    /// Connections that have not shown a token.
    pub(crate) unknown: usize,
    pub(crate) servers_running: usize,
    pub(crate) starts_waiting: usize,
    pub(crate) records_waiting: usize,
    pub(crate) approvals_waiting: usize,
    pub(crate) answered: Vec<AnsweredCount>,
    /// By server; those that are too many to name have none.
    pub(crate) restarts: Vec<(Option<ServerId>, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    channel: &'static str,
    choice: &'static str,
}

#[derive(Default)]
pub(super) struct ReadMetrics {
    sessions: Gauge,
    unknown: Gauge,
    servers_running: Gauge,
    starts_waiting: Gauge,
    records_waiting: Gauge,
    approvals_waiting: Gauge,
    answered: Family<AnswerLabels, Counter<u64, AtomicU64>>,
    restarts: Family<ServerLabel, Counter<u64, AtomicU64>>,
}

impl ReadMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        add(registry, MetricSeries::APPROVALS_WAITING, &self.approvals_waiting);
        add(registry, MetricSeries::APPROVALS_ANSWERED, &self.answered);
        add(registry, MetricSeries::SERVER_RESTARTS, &self.restarts);
        add(registry, MetricSeries::SERVERS_RUNNING, &self.servers_running);
        add(registry, MetricSeries::SERVER_STARTS_WAITING, &self.starts_waiting);
        add(registry, MetricSeries::AUDIT_RECORDS_WAITING, &self.records_waiting);
        add(registry, MetricSeries::SESSIONS, &self.sessions);
        add(registry, MetricSeries::HTTP_CONNECTIONS_UNKNOWN, &self.unknown);
    }

    pub(super) fn take_over(&self, readings: &GatewayReadings, servers: &ServerLabels) {
        let gauges = [
            (&self.sessions, readings.sessions),
            (&self.unknown, readings.unknown),
            (&self.servers_running, readings.servers_running),
            (&self.starts_waiting, readings.starts_waiting),
            (&self.records_waiting, readings.records_waiting),
            (&self.approvals_waiting, readings.approvals_waiting),
        ];
        for (gauge, value) in gauges {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        for AnsweredCount { channel, choice, count } in &readings.answered {
            let labels = AnswerLabels { channel, choice };
            self.answered.get_or_create(&labels).inner().store(*count, Ordering::Relaxed);
        }
        // Several may share the label of those that are too many.
        let mut restarts: BTreeMap<Arc<str>, u64> = BTreeMap::new();
        for (server, count) in &readings.restarts {
            let label = server.as_ref().map_or(OTHER_SERVERS.into(), |server| servers.of(server));
            *restarts.entry(label).or_default() += count;
        }
        for (server, count) in restarts {
            let labels = ServerLabel { server };
            self.restarts.get_or_create(&labels).inner().store(count, Ordering::Relaxed);
        }
    }
}
