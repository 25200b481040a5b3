//! Results that are larger than a message may be: put aside as they come, and referred to.

use std::fs::File;
use std::ops::Range;

use async_trait::async_trait;
use serde_json::Value;
use toolgate_store::StoreError;
use toolgate_testkit::peak_memory;
use toolgate_testkit::web::WebManners;
use toolgate_types::config::{RemoteKind, RemoteServer, Transport};

use super::*;
use crate::gate::remote;

const MESSAGE: u64 = 64 << 10;
const FILE: &str =
    r#"{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}"#;
const LINK: &str = r#"{"type":"object","properties":{"content":{"type":"string","format":"uri"}}}"#;

fn tight(gate: Gate) -> Gate {
    gate.configured(|config| {
        config.limits.message_bytes = MESSAGE;
        config.limits.result_spill_bytes = 4 << 20;
    })
}

async fn refused(gate: &Running, tool: &str) -> CallError {
    let call = Call::new(CallTarget::exact(id("one"), tool)).options(of("ada"));
    result(within(gate.host.call(call)).await).unwrap_err()
}

fn parsed(result: &str) -> Value {
    serde_json::from_str(result).unwrap()
}

/// Over every transport: what a message may be is the same, and so is what the caller gets.
#[tokio::test]
async fn a_result_larger_than_a_message_is_kept_and_its_beginning_is_told() {
    let file = long_text();
    let whole = format!(r#"{{"content":[{}],"odd":1.50}}"#, text_item(&file));
    assert!(whole.len() as u64 > 3 * MESSAGE);
    let (_folder, [store, _]) = stores();
    let over_http = async |streams| {
        let manners = WebManners { streams, ..WebManners::default() };
        giving(&[("long", &whole), ("short", r#"{"content":[]}"#)]).over_http(manners).await
    };
    let (json, stream) = (over_http(false).await, over_http(true).await);
    let Transport::Remote(older) = remote(&stream.url("/sse")) else { panic!() };
    let older = Transport::Remote(RemoteServer { kind: RemoteKind::Sse, ..older });
    let local = giving(&[("long", &whole), ("short", r#"{"content":[]}"#)]);
    for (gate, how) in [
        (Gate::open().server("one", local), "a pipe"),
        (Gate::open().remote("one", &json.url("/mcp")), "JSON"),
        (Gate::open().remote("one", &stream.url("/mcp")), "a stream"),
        (Gate::open().entry("one", older, |_| {}), "the older stream"),
    ] {
        let gate = keeping(tight(gate), &store);
        let told = called(&gate, "long", of("ada")).await;
        assert!(told.len() < 48 << 10, "{how}: {}", told.len());
        assert!(told.contains("line 1 é\\nline 2 é\\n") && told.contains(r#""odd":1.50"#), "{how}");
        let uri = &addresses(&told)[0];
        let seen = parsed(&told);
        let text = seen["content"][0]["text"].as_str().unwrap();
        let written = serde_json::to_string(&file).unwrap().len() - 2;
        let mark = format!("[cut here: {written} bytes in all; the whole result is kept at {uri}]");
        assert!(text.ends_with(&mark), "{how}: {text}");
        assert_eq!(seen["_meta"]["toolgate/artifacts"][0]["uri"], uri.as_str(), "{how}");
        assert!(addresses(&told).iter().all(|other| other == uri), "{how}: it is kept once");
        let (artifact, bytes) = kept(&store, uri).await;
        assert!(bytes == whole.as_bytes(), "{how}: every byte of it is kept");
        assert_eq!(artifact.mime, "application/json");
        // The connection is as good as before.
        assert_eq!(called(&gate, "short", of("ada")).await, r#"{"content":[]}"#, "{how}");
    }
}

fn promising(schema: &str, result: &str) -> Script {
    let tool = format!(r#"{{"name":"read","inputSchema":{{}},"outputSchema":{schema}}}"#);
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))])
        .on_call("read", [Act::answer(result.to_owned())])
}

#[tokio::test]
async fn what_a_caller_holds_to_a_schema_still_fits_it_or_is_a_failure() {
    let file = serde_json::to_string(&long_text()).unwrap();
    let whole = format!(
        r#"{{"content":[{{"type":"text","text":{file}}}],"structuredContent":{{"content":{file}}}}}"#
    );
    let (_folder, [store, _]) = stores();
    for (schema, fits) in [(FILE, true), (LINK, false)] {
        let gate = keeping(tight(Gate::open().server("one", promising(schema, &whole))), &store);
        let told = called(&gate, "read", of("ada")).await;
        let seen = parsed(&told);
        let uri = &addresses(&told)[0];
        assert_eq!(seen["isError"] == true, !fits, "{told}");
        match seen["structuredContent"]["content"].as_str() {
            Some(text) => {
                assert!(fits && text.contains("[cut here: ") && text.contains(uri.as_str()));
            }
            None => assert!(!fits, "{told}"),
        }
        let (_, bytes) = kept(&store, uri).await;
        assert!(bytes == whole.as_bytes());
    }
}

#[tokio::test]
async fn media_and_many_small_things_are_only_referred_to() {
    let data = "QUJD".repeat(50_000);
    let image = format!(
        r#"{{"content":[{},{{"type":"image","mimeType":"image/png","data":"{data}"}}]}}"#,
        text_item("beside it")
    );
    let rows: Vec<_> = (0..40_000).map(|row| format!(r#"{{"row":{row}}}"#)).collect();
    let rows = format!(r#"{{"content":[],"structuredContent":{{"rows":[{}]}}}}"#, rows.join(","));
    let (_folder, [store, _]) = stores();
    let gate = Gate::open().server("one", giving(&[("image", &image), ("rows", &rows)]));
    let gate = keeping(tight(gate), &store);
    for (tool, whole) in [("image", &image), ("rows", &rows)] {
        let told = called(&gate, tool, of("ada")).await;
        assert!(told.len() < 2000 && !told.contains("QUJDQUJD"), "{told}");
        assert_eq!(told.contains("beside it"), tool == "image");
        let (_, bytes) = kept(&store, &addresses(&told)[0]).await;
        assert!(bytes == whole.as_bytes(), "{tool}");
    }
}

#[tokio::test]
async fn a_resource_larger_than_a_message_is_kept_too() {
    let contents = format!(
        r#"{{"contents":[{{"uri":"doc:a","text":{}}}]}}"#,
        serde_json::to_string(&long_text()).unwrap()
    );
    let script = Script::legacy()
        .offering(r#"{"tools":{},"resources":{}}"#)
        .on("resources/read", [Act::answer(contents.clone())]);
    let (_folder, [store, _]) = stores();
    let gate = keeping(tight(Gate::open().server("one", script)), &store);
    let read = result(gate.host.read_resource(&id("one"), "doc:a", of("ada")).await).unwrap();
    assert!(read.contains("line 1 é\\n") && read.len() < 48 << 10, "{read}");
    let (_, bytes) = kept(&store, &addresses(&read)[0]).await;
    assert!(bytes == contents.as_bytes());
}

#[tokio::test]
async fn what_is_larger_than_may_be_put_aside_is_an_error_that_names_the_setting() {
    let (_folder, [store, _]) = stores();
    for (setting, of_artifacts) in [("result_spill_bytes", 1 << 30), ("artifact_bytes", 100_000)] {
        let gate = tight(Gate::open().server("one", giving(&[("long", &big()), ("short", "{}")])));
        let gate = gate.configured(|config| {
            config.limits.artifact_bytes = of_artifacts;
            config.limits.result_spill_bytes = 150_000;
        });
        let gate = keeping(gate, &store);
        let error = refused(&gate, "long").await;
        assert_eq!(error.code, Code::ResourceExhausted, "{error}");
        assert!(error.message.contains(&format!("`limits.{setting}`")), "{error}");
        called(&gate, "short", of("ada")).await;
    }
}

fn big() -> String {
    format!(r#"{{"content":[{}]}}"#, text_item(&long_text()))
}

#[tokio::test]
async fn what_is_to_be_masked_is_not_put_aside_unmasked() {
    let (_folder, [store, _]) = stores();
    let gate = Gate::open()
        .server_with("one", giving(&[("long", &big())]), |server| server.mask_results = true);
    let error = refused(&keeping(tight(gate), &store), "long").await;
    assert_eq!(error.code, Code::ResourceExhausted, "{error}");
    assert!(error.message.contains("masked"), "{error}");
}

/// Artifacts on a disk that is full: what the kernel says of `/dev/full`.
struct FullDisk(MemoryStore);

#[async_trait]
impl ArtifactStore for FullDisk {
    async fn keep_artifact(&self, artifact: NewArtifact) -> Result<Artifact, StoreError> {
        self.0.keep_artifact(artifact).await
    }

    async fn open_spill(&self) -> Result<File, StoreError> {
        Ok(File::options().read(true).write(true).open("/dev/full").unwrap())
    }

    async fn keep_spilled(
        &self,
        artifact: NewArtifact,
        file: Arc<File>,
        part: Range<u64>,
    ) -> Result<Artifact, StoreError> {
        self.0.keep_spilled(artifact, file, part).await
    }

    async fn artifact(
        &self,
        id: &ArtifactId,
        who: &KeptFor,
    ) -> Result<Option<Artifact>, StoreError> {
        self.0.artifact(id, who).await
    }

    async fn read_artifact(
        &self,
        id: &ArtifactId,
        who: &KeptFor,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read_artifact(id, who, range).await
    }

    async fn artifact_bytes(&self) -> Result<u64, StoreError> {
        self.0.artifact_bytes().await
    }

    async fn prune_artifacts(&self, since: u64, bytes: u64) -> Result<u64, StoreError> {
        self.0.prune_artifacts(since, bytes).await
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_an_error_that_says_so() {
    let store: Arc<dyn ArtifactStore> = Arc::new(FullDisk(MemoryStore::default()));
    let gate = tight(Gate::open().server("one", giving(&[("long", &big()), ("short", "{}")])));
    let gate = keeping(gate, &store);
    let error = refused(&gate, "long").await;
    assert_eq!(error.code, Code::ResourceExhausted, "{error}");
    assert!(error.message.contains("no room left on the disk"), "{error}");
    called(&gate, "short", of("ada")).await;
}

/// 200 MiB from a real process with the limits that everybody has, and never much more in memory than
/// a message may have.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_hundred_megabytes_are_kept_in_bounded_memory() {
    let (_folder, [store, _]) = stores();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["huge", "hello"]))])
        .on_call("hello", [Act::say("hi")])
        .on_call("huge", [Act::Huge(200 << 20)]);
    let gate = keeping(Gate::open().process("one", &script), &store);
    called(&gate, "hello", of("ada")).await;
    let before = peak_memory(std::process::id());
    let call = Call::new(CallTarget::exact(id("one"), "huge")).options(of("ada"));
    let told = result(gate.host.call(call).await).unwrap();
    // The kernel counts in bundles for each thread, so a peak may be told as a little less than before.
    let grown = peak_memory(std::process::id()).saturating_sub(before);
    // Whoever held it whole would need 200 MiB at least; the rest is room for other tests.
    assert!(grown < 128 * 1024, "{grown} KiB");
    let uri = &addresses(&told)[0];
    let artifact = ArtifactId::parse(uri.strip_prefix(SCHEME).unwrap()).unwrap();
    let artifact = store.artifact(&artifact, &adas()).await.unwrap().unwrap();
    assert!(artifact.size > 200 << 20, "{}", artifact.size);
    let part = format!("{uri}?bytes=209715200-209715210");
    let tail = result(gate.host.read_own_resource(&part, of("ada")).await).unwrap();
    assert!(tail.contains("xxxxxxxxxx") && told.len() < 20_000, "{tail}");
    gate.host.close_all().await;
}
