//! The trace that a caller names in `_meta`, as whoever listens is told of it.

use std::sync::{Arc, Mutex};

use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_types::{HostEvent, HostListener, TraceParent};

use crate::gate::{Gate, id, json, tools, within};

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// What ended, and in which trace.
#[derive(Default)]
struct Ended(Mutex<Vec<(&'static str, Option<TraceParent>)>>);

impl HostListener for Ended {
    fn happened(&self, event: HostEvent) {
        if let HostEvent::CallEnded { call, .. } = event {
            self.0.lock().unwrap().push((call.word, call.trace));
        }
    }
}

#[tokio::test]
async fn whatever_ends_is_told_with_the_trace_that_its_caller_named() {
    let ended = Arc::new(Ended::default());
    let listener = Arc::clone(&ended);
    let gate = Gate::open().server("approvals", tools(&["read"]));
    let gate = gate.building(|host| host.listener(listener)).run();
    let (host, approvals) = (&gate.host, id("approvals"));
    let options = |meta: &str| CallOptions { meta: Some(json(meta)), ..CallOptions::default() };
    let named = || options(&format!(r#"{{"traceparent":"{TRACE}"}}"#));
    let call = |options| Call::new(CallTarget::exact(id("approvals"), "read")).options(options);
    within(host.call(call(named()))).await.unwrap();
    // Told as well, whatever comes of it: this server has no resources.
    let _ = within(host.read_resource(&approvals, "a:b", named())).await;
    let _ = within(host.subscribe(&approvals, "a:b", named())).await;
    let _ = within(host.read_own_resource("toolgate://artifact/none", named())).await;
    within(host.call(call(options(r#"{"traceparent":"00-1-2-3"}"#)))).await.unwrap();
    within(host.call(call(CallOptions::default()))).await.unwrap();
    let trace = TraceParent::parse(TRACE);
    assert!(trace.is_some());
    let expected = [
        ("call", trace),
        ("read", trace),
        ("subscribe", trace),
        ("read", trace),
        ("call", None),
        ("call", None),
    ];
    assert_eq!(*ended.0.lock().unwrap(), expected);
}
