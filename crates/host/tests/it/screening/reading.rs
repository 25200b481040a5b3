//! What was kept, read again as a resource; and the resources of servers, which have to fit too.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use toolgate_host::{CallOptions, CallTarget, ResultReader};
use toolgate_store::{
    ArtifactStore, AuditLog as _, AuditQuery, MemoryStore, NewArtifact, SqliteStore,
};
use toolgate_testkit::{Act, Script};
use toolgate_types::Code;

use super::{adas, addresses, call, keeping, kept, long_text, of, result, stores, without_media};
use crate::gate::{Gate, Running, id};

#[derive(Deserialize)]
struct Read {
    contents: Vec<Contents>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contents {
    uri: String,
    mime_type: String,
    text: Option<String>,
    blob: Option<String>,
}

async fn read(gate: &Running, uri: &str, options: CallOptions) -> Vec<Contents> {
    let read = result(gate.host.read_own_resource(uri, options).await).unwrap();
    serde_json::from_str::<Read>(&read).unwrap().contents
}

async fn keep(store: &dyn ArtifactStore, mime: &str, bytes: &[u8]) -> String {
    let artifact = NewArtifact {
        owner: adas(),
        mime: mime.to_owned(),
        bytes: bytes.to_owned(),
        // Later than all that is pruned.
        created_at: u64::MAX,
        server: None,
        tool: None,
        correlation: "c".to_owned(),
    };
    format!("toolgate://artifact/{}", store.keep_artifact(artifact).await.unwrap().id)
}

fn text(contents: &Contents) -> &str {
    contents.text.as_deref().unwrap()
}

/// Shows: C26.
#[tokio::test]
async fn some_lines_or_bytes_of_what_was_kept_are_read_by_its_address() {
    let (_folder, stores) = stores();
    for store in stores {
        let uri = keep(&*store, "text/csv", "a\nbé\nc\n".as_bytes()).await;
        let gate = keeping(Gate::open(), &store);
        for (query, wanted) in [
            ("", "a\nbé\nc\n"),
            ("?lines=2-2", "bé\n"),
            ("?lines=2-900", "bé\nc\n"),
            ("?bytes=2-3", "bé"),
            ("?bytes=4-5", "\n"),
            ("?bytes=900-901", ""),
        ] {
            let uri = format!("{uri}{query}");
            let contents = read(&gate, &uri, of("ada")).await;
            assert_eq!(contents.len(), 1, "{query}");
            assert_eq!(contents[0].uri, uri);
            assert_eq!((&*contents[0].mime_type, text(&contents[0])), ("text/csv", wanted));
        }
        let wrong = gate.host.read_own_resource(&format!("{uri}?lines=b-a"), of("ada")).await;
        assert_eq!(wrong.unwrap_err().code, Code::InvalidArgument);
    }
}

#[tokio::test]
async fn what_is_no_text_is_read_as_a_blob() {
    let (_folder, [store, _]) = stores();
    let bytes = [0xff, 0x80, 0x00, 0x41];
    let gate = keeping(Gate::open(), &store);
    for mime in ["image/png", "text/plain"] {
        let uri = keep(&*store, mime, &bytes).await;
        for (query, wanted) in [("", &bytes[..]), ("?bytes=1-2", &bytes[1..3])] {
            let contents = read(&gate, &format!("{uri}{query}"), of("ada")).await;
            let blob = contents[0].blob.as_deref().unwrap();
            assert_eq!(
                (STANDARD.decode(blob).unwrap().as_slice(), &*contents[0].mime_type),
                (wanted, mime)
            );
        }
    }
    let uri = keep(&*store, "image/png", &bytes).await;
    let lines = gate.host.read_own_resource(&format!("{uri}?lines=1-2"), of("ada")).await;
    assert_eq!(lines.unwrap_err().code, Code::InvalidArgument);
    let contents = read(&gate, &uri, without_media("ada")).await;
    assert!(text(&contents[0]).starts_with("[image/png, 4 bytes, SHA-256 "));
    let asked = read(&gate, &format!("{uri}?bytes=0-3"), without_media("ada")).await;
    assert!(asked[0].blob.is_some(), "who asks for bytes gets them");
}

#[tokio::test]
async fn an_answer_is_never_larger_than_it_may_be_and_says_where_to_read_on() {
    const MOST: usize = 256 << 10;
    let (_folder, [store, _]) = stores();
    let whole = "0123456789".repeat(70_000);
    let gate = keeping(Gate::open(), &store);
    let limited = |bytes| {
        let reader = ResultReader { result_bytes: bytes, ..ResultReader::default() };
        CallOptions { reader, ..of("ada") }
    };
    for (mime, bytes, most) in [
        ("text/plain", None, 48 << 10),
        ("text/plain", Some(1 << 40), MOST),
        ("text/plain", Some(100_000), 100_000),
        ("image/png", Some(100), MOST),
    ] {
        let uri = keep(&*store, mime, whole.as_bytes()).await;
        let (mut all, mut next) = (Vec::new(), Some(uri));
        while let Some(uri) = next {
            let contents = read(&gate, &uri, limited(bytes)).await;
            let page = match &contents[0] {
                Contents { text: Some(text), .. } => text.clone().into_bytes(),
                contents => STANDARD.decode(contents.blob.as_deref().unwrap()).unwrap(),
            };
            assert_eq!(page.len(), most.min(whole.len() - all.len()), "{mime} {bytes:?}");
            all.extend(page);
            let more = contents.get(1);
            let says = |more: &Contents| text(more).contains(&more.uri);
            assert!(more.is_none_or(says) && more.is_none() == (all.len() == whole.len()));
            next = more.map(|more| more.uri.clone());
        }
        assert!(all == whole.as_bytes(), "{mime} {bytes:?}");
    }
}

#[tokio::test]
async fn what_is_anothers_and_what_is_absent_read_the_same() {
    let (_folder, [store, _]) = stores();
    let uri = keep(&*store, "text/plain", b"mine").await;
    let gate = keeping(Gate::open(), &store);
    let none = Gate::open().run();
    let absent = format!("toolgate://artifact/{}", "0".repeat(32));
    let mut said = Vec::new();
    for (gate, uri, who) in [(&gate, &uri, "bob"), (&gate, &absent, "bob"), (&none, &uri, "ada")] {
        let error = gate.host.read_own_resource(uri, of(who)).await.unwrap_err();
        said.push((error.code, error.message.replace(uri.as_str(), "…"), error.detail));
    }
    assert_eq!(said[0], (Code::NotFound, "there is no `…`".to_owned(), None));
    assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
    let other = gate.host.read_own_resource("file:///etc/passwd", of("ada")).await;
    assert_eq!(other.unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn each_reading_is_recorded_and_the_tool_takes_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let uri = keep(&*store, "text/plain", b"mine").await;
    let [one, two, three] = [(); 3].map(|()| Arc::clone(&store));
    let gate = Gate::open()
        .server("lib", library("short"))
        .building(|host| host.store(one).audit(two).artifacts(three))
        .run();
    read(&gate, &uri, of("ada")).await;
    let tool = CallTarget::named("mcp_resource_read");
    let arguments = format!(r#"{{"server":"lib","uri":"{uri}"}}"#);
    let read = call(&gate, tool, &arguments, "ada").await.unwrap();
    assert!(read.contains(r#""type":"resource","resource":{"uri":"toolgate:"#), "{read}");
    assert!(gate.host.read_own_resource(&uri, of("bob")).await.is_err());
    gate.host.close_all().await;
    let all = AuditQuery { limit: 100, ..AuditQuery::default() };
    let rows = format!("{:?}", store.audit(all).await.unwrap());
    assert!(rows.matches(&*uri).count() >= 3, "{rows}");
    assert_eq!(rows.matches("it was kept for this principal").count(), 2, "{rows}");
}

/// A server with a text, a picture and a prompt.
fn library(text: &str) -> Script {
    let text = serde_json::to_string(text).unwrap();
    Script::legacy()
        .offering(r#"{"resources":{},"prompts":{}}"#)
        .on(
            "resources/read",
            [Act::answer(format!(
                r#"{{"contents":[{{"uri":"doc:a","mimeType":"text/csv","text":{text},"x":1.50}},{{"uri":"doc:p","mimeType":"image/png","blob":"aGk="}}]}}"#
            ))],
        )
        .on(
            "prompts/get",
            [Act::answer(format!(
                r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":{text}}}}}]}}"#
            ))],
        )
}

/// Shows: S1-84, S0-46.
#[tokio::test]
async fn the_resources_of_servers_have_to_fit_and_prompts_pass() {
    let store: Arc<dyn ArtifactStore> = Arc::new(MemoryStore::default());
    let gate = keeping(Gate::open().server("lib", library(&long_text())), &store);
    let lib = id("lib");
    let cut = result(gate.host.read_resource(&lib, "doc:a", of("ada")).await).unwrap();
    assert!(cut.len() < 20_000);
    let Read { contents } = serde_json::from_str(&cut).unwrap();
    assert_eq!((contents.len(), &*contents[0].uri), (2, "doc:a"));
    assert!(text(&contents[0]).contains("line 1 é") && text(&contents[0]).contains("cut here"));
    assert!(cut.contains(r#""x":1.50"#) && cut.contains(r#""blob":"aGk=""#), "the rest stays");
    let (artifact, bytes) = kept(&store, &addresses(&cut)[0]).await;
    assert!(bytes == long_text().as_bytes());
    assert_eq!(artifact.mime, "text/csv");
    let prompt = result(gate.host.get_prompt(&lib, "p", None, of("ada")).await).unwrap();
    assert!(prompt.contains("line 20000"));

    let gate = keeping(Gate::open().server("lib", library("short")), &store);
    let read = result(gate.host.read_resource(&lib, "doc:a", without_media("ada")).await).unwrap();
    let Read { contents } = serde_json::from_str(&read).unwrap();
    assert_eq!((text(&contents[0]), &*contents[1].uri), ("short", "doc:p"));
    assert!(text(&contents[1]).starts_with("[image/png, 2 bytes, SHA-256 "), "{read}");
    assert_eq!(kept(&store, &addresses(&read)[0]).await.1, b"hi");
}
