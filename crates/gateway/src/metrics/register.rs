//! From a series of the table to one that is printed.

use prometheus_client::registry::{Metric, Registry};
use toolgate_types::MetricSeries;

pub(super) fn add(registry: &mut Registry, series: MetricSeries, metric: &(impl Metric + Clone)) {
    registry.register(series.name, series.help, metric.clone());
}
