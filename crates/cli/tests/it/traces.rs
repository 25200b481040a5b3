//! Traces as a collector sees them: the real binary, and a collector of the test's own on loopback.
//!
//! What comes is protobuf; it is searched for the bytes that matter and not decoded.

#![cfg(feature = "otel")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use serde_json::json;
use toolgate_testkit::{Act, Script};

use crate::serve::gate::Gate;
use crate::support::World;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

const SECRET: &str = "canary-5b1c77e0-in-clear";

/// What came at once.
struct Batch {
    head: String,
    body: Vec<u8>,
}

impl Batch {
    fn has(&self, bytes: impl AsRef<[u8]>) -> bool {
        let bytes = bytes.as_ref();
        self.body.windows(bytes.len()).any(|window| window == bytes)
    }
}

/// Somebody who takes traces, for as long as the test runs.
fn collector(answer: &'static str) -> (String, mpsc::Receiver<Batch>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, batches) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let Some(batch) = received(&stream) else { continue };
            // First here, then there: who has the answer may look at once.
            let _ = sender.send(batch);
            let _ = write!(
                stream,
                "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    (address, batches)
}

fn received(stream: &TcpStream) -> Option<Batch> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some(Batch { head, body })
}

fn world() -> World {
    let world = World::new();
    let schema = r#""inputSchema":{"type":"object"}"#;
    let tools = format!(
        r#"{{"tools":[{{"name":"greet",{schema}}},{{"name":"fail",{schema}}},{{"name":"about-{SECRET}",{schema}}}]}}"#
    );
    let script = Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("greet", [Act::say("good morning")])
        .on_call(&format!("about-{SECRET}"), [Act::say("nothing")])
        .on_call("fail", [Act::refuse(-32000, "no such luck")]);
    let keys = format!("approval = \"approve\"\nenv = {{ TOKEN = {SECRET:?} }}");
    world.local_with("polite", &script, &keys);
    world
}

#[test]
fn a_call_is_one_span_with_its_reference_sent_before_the_run_ends() {
    let (address, batches) = collector("200 OK");
    let world = world()
        .with(ENDPOINT, &address)
        .with("OTEL_EXPORTER_OTLP_HEADERS", "x-key=mine")
        .with("TOOLGATE_LOG", "debug");
    let ran = world.run(&["call", "polite", "greet"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("good morning\n", ""));
    let batch = batches.try_recv().unwrap();
    assert!(batch.head.starts_with("post /v1/traces http/1.1\r\n"), "{}", batch.head);
    assert!(batch.head.contains("\r\nx-key: mine\r\n"), "{}", batch.head);
    assert!(batch.has("call polite/greet"));
    let log = world.read("home/.local/state/toolgate/logs/toolgate.log");
    let ended = log.lines().find(|line| line.contains("call ended")).unwrap();
    let ended: serde_json::Value = serde_json::from_str(ended).unwrap();
    assert!(batch.has(ended["call"].as_str().unwrap()), "{ended}");
    // An attribute is its key, the tag and length of its value, the tag and length of the text.
    for (key, value) in [("toolgate.outcome", "done"), ("service.name", "toolgate")] {
        let length = u8::try_from(value.len()).unwrap();
        let between = [0x12, length + 2, 0x0a, length];
        assert!(batch.has([key.as_bytes(), &between, value.as_bytes()].concat()), "{key}");
    }
    assert!(!batch.has("error.type"));
    assert!(batches.try_recv().is_err());
}

#[test]
fn a_failure_has_its_code_and_the_name_of_the_service_is_for_the_environment_to_say() {
    let (address, batches) = collector("200 OK");
    let world = world().with(ENDPOINT, &address).with("OTEL_SERVICE_NAME", "the-gate");
    assert_ne!(world.run(&["call", "polite", "fail"]).code, 0);
    let batch = batches.try_recv().unwrap();
    assert!(batch.has("call polite/fail") && batch.has("the-gate"));
    assert!(batch.has("error.type\x12\x0a\x0a\x08internal"));
    // The status: its message, then the code of an error.
    assert!(batch.has("\x12\x08internal\x18\x02"));
}

#[test]
fn the_span_of_a_call_is_in_the_trace_that_its_caller_names() {
    let (address, batches) = collector("200 OK");
    let world = world().with(ENDPOINT, &address);
    let gate = Gate::on_free_port(&world);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let call = |traceparent: &str| {
        let meta = json!({"traceparent": traceparent});
        let params = json!({"name": "polite__greet", "arguments": {}, "_meta": meta});
        let answer = gate.ask("/mcp", "tools/call", params);
        assert_eq!(answer["result"]["content"][0]["text"], "good morning", "{answer}");
    };
    call(&format!("00-{trace}-b7ad6b7169203331-01"));
    // Not well formed, and not to be traced.
    call(&format!("00-{trace}-a1a2a3a4a5a6a7a8-zz"));
    call(&format!("00-{trace}-c1c2c3c4c5c6c7c8-00"));
    let ended = gate.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let batches: Vec<Batch> = batches.try_iter().collect();
    let times = |bytes: &[u8]| {
        let found = |batch: &Batch| batch.body.windows(bytes.len()).filter(|w| *w == bytes).count();
        batches.iter().map(found).sum::<usize>()
    };
    let trace = u128::from_str_radix(trace, 16).unwrap().to_be_bytes();
    assert_eq!(times(b"call polite/greet"), 2);
    assert_eq!(times(&trace), 1);
    assert_eq!(times(&0xb7ad_6b71_6920_3331_u64.to_be_bytes()), 1);
    assert_eq!(times(&0xc1c2_c3c4_c5c6_c7c8_u64.to_be_bytes()), 0);
}

#[test]
fn a_secret_in_a_name_is_masked_before_it_is_sent() {
    let (address, batches) = collector("200 OK");
    let world = world().with(ENDPOINT, &address);
    let tool = format!("about-{SECRET}");
    world.run(&["call", "polite", &tool]).ok();
    let batch = batches.try_recv().unwrap();
    assert!(batch.has("call polite/about-"));
    assert!(!batch.has(SECRET));
}

#[test]
fn without_a_collector_in_the_environment_nothing_is_sent() {
    let (address, batches) = collector("200 OK");
    let named = world().with(ENDPOINT, &address).with("OTEL_SDK_DISABLED", "true");
    named.run(&["call", "polite", "greet"]).ok();
    assert!(batches.try_recv().is_err());
    // Where the standard would have a collector, nobody is asked.
    let ran = world().run(&["call", "polite", "greet"]).ok();
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_collector_that_cannot_be_used_costs_a_warning_and_no_call() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let absent = format!("http://{free}");
    // It takes connections, since the system does that for it, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mute = format!("http://{}", silent.local_addr().unwrap());
    let (full, _batches) = collector("503 Service Unavailable");
    let lost = "warning: 1 batch of traces could not be sent; the log says why\n";
    let late = "warning: the collector did not take the last traces in time\n";
    let wrong = "warning: no traces are sent: the variables OTEL_EXPORTER_OTLP_… cannot be used\n";
    for (address, warning) in
        [(&*absent, lost), (&*full, lost), (&*mute, late), ("http://user:pass word@x", wrong)]
    {
        let world = world().with(ENDPOINT, address);
        let ran = world.run(&["call", "polite", "greet"]).ok();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("good morning\n", warning));
        let log = world.read("home/.local/state/toolgate/logs/toolgate.log");
        assert_eq!(log.contains("traces could not be sent"), warning == lost, "{log}");
    }
}
