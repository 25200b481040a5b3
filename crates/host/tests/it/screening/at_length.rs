//! Results that nobody holds and that pass whole: from their file, for who takes them so.

use std::os::unix::fs::FileExt as _;

use serde_json::Value;
use toolgate_testkit::web::WebManners;
use toolgate_types::{Acceptances, AcceptedEntry, EntryKind, LayerGrade, LongResult, Trust};

use super::*;

const MESSAGE: u64 = 64 << 10;

/// A gate that holds little and passes on much.
fn passing(gate: Gate) -> Gate {
    gate.configured(|config| {
        config.limits.message_bytes = MESSAGE;
        config.limits.result_bytes = 4 << 20;
    })
}

fn at_length(principal: &str) -> CallOptions {
    let reader = ResultReader { takes_length: true, ..ResultReader::default() };
    CallOptions { reader, ..of(principal) }
}

async fn outcome(gate: &Running, tool: &str, options: CallOptions) -> OperationOutcome {
    let call = Call::new(CallTarget::exact(id("one"), tool)).options(options);
    within(gate.host.call(call)).await.unwrap()
}

async fn long(gate: &Running, tool: &str) -> LongResult {
    match outcome(gate, tool, at_length("ada")).await {
        OperationOutcome::DoneAtLength(long) => long,
        other => panic!("{other:?}"),
    }
}

/// What is held, with the rest of each string in the place of its mark.
fn restored(LongResult { held, rests, .. }: &LongResult) -> String {
    let (mut whole, mut text) = (String::new(), held.get());
    while let Some((before, cut, after)) = rests.mark.split(text) {
        let place = &rests.places[cut.number];
        let mut rest = vec![0; usize::try_from(place.end - place.start).unwrap()];
        rests.file.read_exact_at(&mut rest, place.start).unwrap();
        whole.push_str(before);
        whole.push_str(std::str::from_utf8(&rest).unwrap());
        text = after;
    }
    whole + text
}

/// Two long texts, one of them a key's and with everything that needs an escape, and what stands around them.
fn long_result() -> String {
    let odd = format!("\\ \" \n \u{7} 😀 {}", long_text());
    let odd = serde_json::to_string(&odd).unwrap();
    format!(
        r#"{{"content":[{},{{"type":"text","text":{odd}}}],"isError":false,"odd":1.50,"of":{{{odd}:[]}}}}"#,
        text_item(&long_text())
    )
}

#[tokio::test]
async fn a_result_that_fits_passes_whole_and_is_never_held() {
    let whole = long_result();
    assert!(whole.len() as u64 > 8 * MESSAGE);
    let (_folder, [store, _]) = stores();
    let web = giving(&[("long", &whole)]).over_http(WebManners::default()).await;
    let streams = WebManners { streams: true, ..WebManners::default() };
    let streaming = giving(&[("long", &whole)]).over_http(streams).await;
    for (gate, how) in [
        (Gate::open().server("one", giving(&[("long", &whole)])), "a pipe"),
        (Gate::open().remote("one", &web.url("/mcp")), "JSON"),
        (Gate::open().remote("one", &streaming.url("/mcp")), "a stream"),
    ] {
        let gate = keeping(passing(gate), &store);
        let long = long(&gate, "long").await;
        assert!(!long.is_error);
        assert_eq!(long.bytes, whole.len() as u64, "{how}");
        assert!((long.held.get().len() as u64) < MESSAGE, "{how}: {}", long.held.get().len());
        assert!(restored(&long) == whole, "{how}: every byte of it passes");
    }
    assert_eq!(store.artifact_bytes().await.unwrap(), 0, "nobody has to read it again");
}

#[tokio::test]
async fn a_tool_that_failed_at_length_says_so() {
    let failed = format!(r#"{{"content":[{}],"isError":true}}"#, text_item(&long_text()));
    let (_folder, [store, _]) = stores();
    let gate = Gate::open().server("one", giving(&[("long", &failed)]));
    assert!(long(&keeping(passing(gate), &store), "long").await.is_error);
}

/// Whoever takes it otherwise gets its beginning and a reference, as always.
#[tokio::test]
async fn what_does_not_fit_or_is_not_taken_so_is_cut() {
    let whole = long_result();
    let (_folder, [store, _]) = stores();
    let small = |bytes| ResultReader { result_bytes: Some(bytes), ..at_length("ada").reader };
    let (fits, not) = (whole.len() as u64, whole.len() as u64 - 1);
    let gate = keeping(passing(Gate::open().server("one", giving(&[("long", &whole)]))), &store);
    for (reader, passes) in [
        (small(fits), true),
        (small(not), false),
        (ResultReader { takes_media: false, ..small(fits) }, false),
        (ResultReader { takes_length: false, ..small(fits) }, false),
    ] {
        let options = CallOptions { reader, ..of("ada") };
        match outcome(&gate, "long", options).await {
            OperationOutcome::DoneAtLength(_) => assert!(passes, "{reader:?}"),
            OperationOutcome::Done(done) => {
                assert!(!passes, "{reader:?}");
                let told = done.result.get();
                assert!(told.contains("[cut here: ") && told.len() < whole.len() / 4, "{reader:?}");
                assert!(kept(&store, &addresses(told)[0]).await.1 == whole.as_bytes());
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Whoever reads slowly, or never, does not fill the disk: what would be more than may be kept is cut.
#[tokio::test]
async fn all_that_pass_together_take_no_more_than_may_be_kept() {
    let whole = long_result();
    let (_folder, [store, _]) = stores();
    let gate = passing(Gate::open().server("one", giving(&[("long", &whole)])));
    let gate = gate.configured(|config| config.limits.artifact_bytes = 5 * whole.len() as u64 / 2);
    let gate = keeping(gate, &store);
    let (first, second) = (long(&gate, "long").await, long(&gate, "long").await);
    match outcome(&gate, "long", at_length("ada")).await {
        OperationOutcome::Done(done) => assert!(done.result.get().contains("[cut here: ")),
        other => panic!("{other:?}"),
    }
    drop(first);
    let third = long(&gate, "long").await;
    assert!(restored(&second) == whole && restored(&third) == whole);
}

/// A cloned project whose server was accepted: its entry may say how much text of a tool passes, and fills
/// no window with what nobody ever held.
#[tokio::test]
async fn a_projects_entry_lets_no_more_pass_at_length_than_the_person_does() {
    let whole = long_result();
    let (_folder, [store, _]) = stores();
    for (persons, passes) in [(4 << 20, true), (48 << 10, false)] {
        let gate =
            passing(Gate::open().server_with("one", giving(&[("long", &whole)]), |server| {
                let own = ToolSettings { result_bytes: Some(4 << 20), ..ToolSettings::default() };
                server.tool_settings.insert("long".to_owned(), own);
            }));
        let mut acceptances = Acceptances::default();
        let gate = gate.configured(|config| {
            config.limits.result_bytes = persons;
            let entry = config.servers.get_mut(&id("one")).unwrap();
            entry.origin.grade = LayerGrade::Project;
            acceptances = Acceptances::new(vec![AcceptedEntry {
                kind: EntryKind::Server,
                id: "one".to_owned(),
                fingerprint: entry.fingerprint.clone(),
                trust: Trust::Trusted,
                accepted_at: 1,
            }]);
        });
        let gate = keeping(gate.building(|host| host.acceptances(acceptances)), &store);
        let outcome = outcome(&gate, "long", at_length("ada")).await;
        let passed = matches!(outcome, OperationOutcome::DoneAtLength(_));
        assert_eq!(passed, passes, "{outcome:?}");
    }
}

/// A server whose long string is no JSON behind what is held of it. Passed on, it would break the client's
/// stream, or begin another message in it.
#[tokio::test]
async fn what_is_no_json_where_nobody_holds_it_is_never_passed_on() {
    let (_folder, [store, _]) = stores();
    for broken in ["\t", "\\x", "\\u12g4", "\r"] {
        let text = format!("{}{broken}{}", "x".repeat(100_000), "y".repeat(100_000));
        let whole = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let gate = Gate::open().server("one", giving(&[("long", &whole)]));
        let gate = keeping(passing(gate), &store);
        match outcome(&gate, "long", at_length("ada")).await {
            OperationOutcome::Done(done) => assert!(!done.result.get().contains("yyyy")),
            other => panic!("{broken:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn what_is_to_be_masked_does_not_pass_at_length_either() {
    let (_folder, [store, _]) = stores();
    let gate = Gate::open().server_with("one", giving(&[("long", &long_result())]), |server| {
        server.mask_results = true;
    });
    let gate = keeping(passing(gate), &store);
    let call = Call::new(CallTarget::exact(id("one"), "long")).options(at_length("ada"));
    let error = within(gate.host.call(call)).await.unwrap_err();
    assert!(error.message.contains("masked"), "{error}");
}

/// What is read by the gate's own tool stands in the result of that.
#[tokio::test]
async fn a_resource_passes_at_length_and_not_within_another_result() {
    let text = serde_json::to_string(&long_text()).unwrap();
    let contents = format!(r#"{{"contents":[{{"uri":"doc:a","text":{text}}}]}}"#);
    let script = Script::legacy()
        .offering(r#"{"tools":{},"resources":{}}"#)
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"doc:a","name":"a"}]}"#)])
        .on("resources/read", [Act::answer(contents.clone())]);
    let (_folder, [store, _]) = stores();
    let gate = keeping(passing(Gate::open().server("one", script)), &store);
    match gate.host.read_resource(&id("one"), "doc:a", at_length("ada")).await.unwrap() {
        OperationOutcome::DoneAtLength(long) => assert!(restored(&long) == contents),
        other => panic!("{other:?}"),
    }
    let call = Call::new(CallTarget::named("mcp_resource_read"))
        .arguments(json(r#"{"server":"one","uri":"doc:a"}"#))
        .options(at_length("ada"));
    let read = result(within(gate.host.call(call)).await).unwrap();
    let read: Value = serde_json::from_str(&read).unwrap();
    assert_eq!(read["content"][0]["type"], "resource", "{read}");
    assert!(read["content"][0]["resource"]["text"].as_str().unwrap().contains("[cut here: "));
}
