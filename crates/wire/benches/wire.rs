//! How fast the wire is, each case beside a plain `serde_json::Value` doing the same to the same
//! bytes in the same run.
//!
//! Throughput only; nothing passes or fails by time. The whole gateway has benchmarks of its own.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use toolgate_wire::sse::{SseDecoder, SseItem};
use toolgate_wire::{
    ListMethod, ListPage, Message, MessageLimits, ObjectSplice, RequestTarget, ResponseOutcome,
    SpliceValue as New, write_request,
};

/// What a network read usually brings.
const PIECE: usize = 16 * 1024;

criterion_group!(benches, call, events, list);
criterion_main!(benches);

/// Envelope in, routed, bytes out: the id and the tool's name are rewritten.
fn call(criterion: &mut Criterion) {
    for (size, what) in [(1024, "call of 1 KB"), (64 * 1024, "call of 64 KB")] {
        for (shape, message) in
            [("text", call_with_text(size)), ("records", call_with_records(size))]
        {
            let mut group = criterion.benchmark_group(format!("{what}, {shape}"));
            let mut out = Vec::new();
            side_by_side(
                &mut group,
                message.len(),
                || route(&message, &mut out),
                || route_value(&message),
            );
        }
    }
}

fn route(message: &[u8], out: &mut Vec<u8>) -> usize {
    let Ok(Message::Request(request)) = Message::parse(message, &MessageLimits::DEFAULT) else {
        return 0;
    };
    let (Ok(Some(target)), Some(params)) = (RequestTarget::of(&request), &request.params) else {
        return 0;
    };
    let name = target.value.strip_prefix("files__").unwrap_or_default();
    let mut params = ObjectSplice::of(params);
    params.set("name", New::text(name));
    out.clear();
    write_request(out, 7.into(), &request.method, Some(&params));
    out.len()
}

fn route_value(message: &[u8]) -> usize {
    let Ok(mut value) = serde_json::from_slice::<Value>(message) else { return 0 };
    value["id"] = json!(7);
    let name = value["params"]["name"].as_str().and_then(|name| name.strip_prefix("files__"));
    value["params"]["name"] = json!(name);
    serde_json::to_vec(&value).map_or(0, |out| out.len())
}

/// 1 MB of events in pieces; the other side also reads each event's data, by the line.
fn events(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("SSE of 1 MB");
    let event = format!("event: message\nid: 12\ndata: {}\n\n", text(&call_with_text(1024)));
    let stream = event.repeat(1024 * 1024 / event.len()).into_bytes();
    side_by_side(
        &mut group,
        stream.len(),
        || {
            let mut decoder = SseDecoder::new(1024 * 1024);
            let mut bytes = 0;
            for mut piece in stream.chunks(PIECE) {
                while let Some(item) = decoder.next(&mut piece) {
                    if let SseItem::Event(event) = item {
                        bytes += event.data.len();
                    }
                }
            }
            bytes
        },
        || {
            let lines = stream.split(|byte| *byte == b'\n');
            let data = lines.filter_map(|line| line.strip_prefix(b"data: "));
            data.filter_map(|data| serde_json::from_slice::<Value>(data).ok())
                .map(|value| serde_json::to_vec(&value).map_or(0, |out| out.len()))
                .sum()
        },
    );
}

/// A list of 100 tools, from its envelope to its items.
fn list(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tools/list of 100 tools");
    let message = list_of_tools();
    side_by_side(
        &mut group,
        message.len(),
        || {
            let Ok(Message::Response(response)) = Message::parse(&message, &MessageLimits::DEFAULT)
            else {
                return 0;
            };
            let ResponseOutcome::Result(result) = response.outcome else { return 0 };
            ListPage::parse(ListMethod::Tools, result.raw()).map_or(0, |page| page.items.len())
        },
        || {
            let Ok(value) = serde_json::from_slice::<Value>(&message) else { return 0 };
            let tools = value["result"]["tools"].as_array();
            tools.into_iter().flatten().filter_map(|tool| serde_json::to_vec(tool).ok()).count()
        },
    );
}

fn side_by_side(
    group: &mut BenchmarkGroup<'_, WallTime>,
    bytes: usize,
    mut ours: impl FnMut() -> usize,
    mut value: impl FnMut() -> usize,
) {
    assert!(ours() > 0 && value() > 0, "both sides must really do the work");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("wire", |bencher| bencher.iter(|| black_box(ours())));
    group.bench_function("serde_json::Value", |bencher| bencher.iter(|| black_box(value())));
}

fn text(message: &[u8]) -> String {
    String::from_utf8_lossy(message).into_owned()
}

/// A call whose arguments are one long text, as when a file is written.
fn call_with_text(size: usize) -> Vec<u8> {
    let line = "fn main() { println!(\"hello, {}\", name); } // a line of code\n";
    let content = line.repeat((size - 160) / (line.len() + 5));
    call_of(json!({ "path": "src/main.rs", "content": content }))
}

/// A call whose arguments are many small values, the hardest case for a scanner.
fn call_with_records(size: usize) -> Vec<u8> {
    let record = |n: usize| json!({ "id": n, "name": "row", "tags": ["a", "b"], "done": false });
    let rows: Vec<Value> = (0..(size - 160) / 56).map(record).collect();
    call_of(json!({ "table": "rows", "rows": rows }))
}

fn call_of(arguments: Value) -> Vec<u8> {
    let message = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": "files__write_file", "arguments": arguments, "_meta": { "progressToken": 1 } }
    });
    message.to_string().into_bytes()
}

fn list_of_tools() -> Vec<u8> {
    let tool = |n: usize| {
        json!({
            "name": format!("tool_{n}"),
            "title": "A tool",
            "description": "Does one thing to a file in the workspace and says what it did. ".repeat(6),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Where the file is" },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 },
                    "mode": { "enum": ["fast", "exact"], "default": "fast" }
                },
                "required": ["path"],
                "additionalProperties": false
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false }
        })
    };
    let tools: Vec<Value> = (0..100).map(tool).collect();
    json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": tools } }).to_string().into_bytes()
}
