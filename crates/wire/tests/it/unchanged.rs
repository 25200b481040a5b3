//! What does not exist yet goes through as it is: tools, results and content blocks of unknown
//! kinds, numbers as they are spelled, keys in their order.

use std::fs;
use std::path::PathBuf;

use serde_json::value::RawValue;
use toolgate_wire::{
    ListMethod, ListPage, Message, MessageLimits, ObjectSplice, ResponseOutcome, SpliceValue,
    write_request,
};

fn sample(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/samples/unchanged");
    fs::read_to_string(folder.join(name)).unwrap().trim_end().to_owned()
}

fn parse(json: &str) -> Message<'_> {
    Message::parse(json.as_bytes(), &MessageLimits::DEFAULT).unwrap()
}

/// The message under id 7, with `from` replaced by `to` in what is expected and nothing else.
fn goes_through(name: &str, from: &str, to: &str) {
    let message = sample(name);
    let mut out = Vec::new();
    parse(&message).write(&mut out, 7.into()).unwrap();
    assert!(message.contains(from));
    assert_eq!(String::from_utf8(out).unwrap(), message.replacen(from, to, 1), "{name}");
}

#[test]
fn a_result_with_content_of_the_future_goes_through() {
    goes_through("result.json", r#""id":"abc\/1""#, r#""id":7"#);
}

#[test]
fn an_error_with_members_of_the_future_goes_through() {
    goes_through("error.json", r#""id":12345678901234567890"#, r#""id":7"#);
}

#[test]
fn a_call_is_renamed_and_nothing_else() {
    let message = sample("call.json");
    let Message::Request(request) = parse(&message) else { panic!("not a request") };
    let params = request.params.as_ref().unwrap();
    let mut splice = ObjectSplice::of(params);
    splice.set("name", SpliceValue::text("search"));
    splice.within("_meta").unwrap().set("progressToken", SpliceValue::number(7));
    let mut out = Vec::new();
    write_request(&mut out, 7.into(), &request.method, Some(&splice));
    let expected = message
        .replacen(r#""id":1.0"#, r#""id":7"#, 1)
        .replacen(r#""name":"web__search""#, r#""name":"search""#, 1)
        .replacen(r#""progressToken":"p-1""#, r#""progressToken":7"#, 1);
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn a_tool_of_the_future_is_listed_as_it_came() {
    let message = sample("list.json");
    let Message::Response(response) = parse(&message) else { panic!("not a response") };
    let ResponseOutcome::Result(result) = response.outcome else { panic!("not a result") };
    let page = ListPage::parse(ListMethod::Tools, result.raw()).unwrap();
    assert!(page.set_aside.is_empty());
    let items: Vec<&str> = page.items.iter().map(|item| item.raw().get()).collect();
    // Put together again they are the very text between the brackets.
    let tools = result.object().unwrap().get("tools").map(RawValue::get);
    assert_eq!(tools, Some(&*format!("[{}]", items.join(","))));
    for spelling in ["1.0", "1e2", "12345678901234567890", r#""zeta":0,"alpha":0"#, r"caf\u00e9"] {
        assert!(items.concat().contains(spelling), "{spelling}");
    }
}
