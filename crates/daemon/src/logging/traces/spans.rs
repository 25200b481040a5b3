//! Spans for operations that ended, kept in a bounded queue that another thread empties.
//!
//! Where they go, with which headers, how many and under which name are the standard `OTEL_…`
//! variables. A queue that is full loses spans; it never holds up an operation.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    Span as _, SpanContext, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceState,
    Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, Key, KeyValue};
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, RetryPolicy, SpanExporter, WithExportConfig as _,
    WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use toolgate_config::Variables;
use toolgate_types::{CallEnding, CallRef, ServerId, TraceParent};

use super::collector::{FailedBatches, TraceCollector};
use crate::logging::call_end::ending_words;
use crate::{RunConsole, counted};

/// Without one of these nothing is sent.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

const NAME: &str = "toolgate";

/// How long the end of a run waits for a collector.
const PATIENCE: Duration = Duration::from_secs(2);

/// The spans of a run.
#[derive(Debug)]
pub(crate) struct Traces(Option<TraceExport>);

#[derive(Debug)]
struct TraceExport {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    failures: Arc<FailedBatches>,
}

impl Traces {
    /// Begins where the environment names a collector.
    pub(crate) fn begin(variables: &Variables, console: &mut dyn RunConsole) -> Self {
        let value = |name: &str| variables.get(name).map_or("", |value| value.trim());
        let is_disabled = value("OTEL_SDK_DISABLED").eq_ignore_ascii_case("true");
        if is_disabled || ENDPOINTS.iter().all(|name| value(name).is_empty()) {
            return Self(None);
        }
        let sent = TraceExport::new();
        if sent.is_err() {
            // The error repeats the address, which may hold a password.
            console.warn("no traces are sent: the variables OTEL_EXPORTER_OTLP_… cannot be used");
        }
        Self(sent.ok())
    }

    /// An operation ended now. What others wrote passes `shown`, which masks it.
    pub(crate) fn ended(
        &self,
        call: &CallRef,
        duration: Duration,
        ending: CallEnding,
        shown: impl Fn(&str) -> String,
    ) {
        let Some(TraceExport { tracer, .. }) = &self.0 else { return };
        let CallRef { correlation, server, word, target, trace } = call;
        let server = server.as_ref().map(ServerId::as_str).map(&shown);
        let target = shown(target);
        let name = match &server {
            Some(server) => format!("{word} {server}/{target}"),
            None => format!("{word} {target}"),
        };
        let (_, outcome, code) = ending_words(ending);
        let mut attributes = vec![
            KeyValue::new("toolgate.correlation_id", correlation.as_str().to_owned()),
            KeyValue::new("toolgate.kind", *word),
            KeyValue::new("toolgate.tool", target),
            KeyValue::new("toolgate.outcome", outcome),
        ];
        attributes.extend(server.map(|server| KeyValue::new("toolgate.server", server)));
        attributes.extend(code.map(|code| KeyValue::new("error.type", code)));
        let end = SystemTime::now();
        let builder = tracer
            .span_builder(name)
            .with_kind(SpanKind::Server)
            .with_start_time(end.checked_sub(duration).unwrap_or(end))
            .with_attributes(attributes);
        let parent = trace.map(remote).unwrap_or_default();
        let mut span = tracer.build_with_context(builder, &parent);
        match ending {
            CallEnding::Done | CallEnding::InputRequired | CallEnding::Task => {}
            CallEnding::ToolError | CallEnding::Aborted | CallEnding::Failed(_) => {
                span.set_status(Status::error(code.unwrap_or(outcome)));
            }
        }
        span.end_with_timestamp(end);
    }

    /// Sends what is left, for as long as there is patience, and says what could not be sent.
    pub(crate) fn finish(&self, console: &mut dyn RunConsole) {
        let Some(TraceExport { provider, failures, .. }) = &self.0 else { return };
        let is_late = provider.shutdown_with_timeout(PATIENCE).is_err();
        match failures.count() {
            0 if is_late => console.warn("the collector did not take the last traces in time"),
            0 => {}
            failed => {
                let failed = counted(failed, "batch of traces");
                console.warn(&format!("{failed} could not be sent; the log says why"));
            }
        }
    }
}

impl TraceExport {
    fn new() -> Result<Self, ExporterBuildError> {
        let failures = Arc::new(FailedBatches::default());
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(TraceCollector::new(&failures))
            // The end of a run does not wait for a second try.
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource())
            .build();
        let tracer = provider.tracer(NAME);
        Ok(Self { provider, tracer, failures })
    }
}

/// What the environment says of this program, and our name where it says none.
fn resource() -> Resource {
    let named = Resource::builder().build();
    let name = named.get(&Key::from_static_str("service.name"));
    match name.is_none_or(|name| name.as_str().starts_with("unknown_service")) {
        true => Resource::builder().with_service_name(NAME).build(),
        false => named,
    }
}

/// The caller's span as the one that ours is in.
fn remote(parent: TraceParent) -> Context {
    let (trace, span) = (parent.trace().into(), parent.span().into());
    let flags = TraceFlags::new(parent.flags());
    let parent = SpanContext::new(trace, span, flags, true, TraceState::NONE);
    Context::new().with_remote_span_context(parent)
}
