//! Shapes by themselves.

use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_types::config::{Server, ShownToolName, ToolSettings, Transport};

use super::*;

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn shaping(hidden: &[&str], defaults: &[(&str, &str)]) -> ToolShaping {
    ToolShaping {
        hidden: hidden.iter().map(|name| (*name).to_owned()).collect(),
        defaults: defaults.iter().map(|(name, text)| ((*name).to_owned(), json(text))).collect(),
        ..ToolShaping::default()
    }
}

#[test]
fn what_is_hidden_or_filled_in_is_gone_from_the_schema_and_the_rest_stays_byte_for_byte() {
    let schema = json(
        r#"{ "type":"object","properties":{"repo":{"type":"string"},"n":{"type":"number","default":1},"q":{"const":1.50}},"required":["repo","n","q"],"x-odd":1e2}"#,
    );
    let shown = shown_schema(&schema, &shaping(&["repo"], &[("repo", "\"a\""), ("n", "2.0")]));
    assert_eq!(
        shown.unwrap().get(),
        r#"{"type":"object","properties":{"n":{"type":"number","default":2.0},"q":{"const":1.50}},"required":["q"],"x-odd":1e2}"#
    );
}

#[test]
fn a_hidden_parameter_is_refused_however_it_is_spelled() {
    let shaping = shaping(&["repo"], &[]);
    let refuse = |text: &str| refuse_hidden(&shaping, Some(&json(text)));
    assert_eq!(refuse(r#"{"a":1}"#), Ok(()));
    for given in [r#"{"repo":1}"#, r#"{"a":1,"re\u0070o":null}"#, r#"{"repo":1,"repo":2}"#] {
        assert_eq!(
            refuse(given),
            Err("the parameter `repo` cannot be given".to_owned()),
            "{given}"
        );
    }
}

#[test]
fn what_was_left_out_is_filled_in_behind_what_was_given() {
    let shaping = shaping(&[], &[("a", "[1, 2]"), ("b", "null")]);
    let filled =
        |text: &str| filled_in(&shaping, Some(&json(text))).map(|raw| raw.get().to_owned());
    assert_eq!(filled(r#"{ "c" : 1.50 }"#).unwrap(), r#"{"c":1.50,"a":[1, 2],"b":null}"#);
    assert_eq!(filled(r#"{"\u0061":0}"#).unwrap(), r#"{"\u0061":0,"b":null}"#);
    assert_eq!(filled(r#"{"a":0,"b":0}"#), None);
    assert_eq!(filled("[]"), None, "the check refuses that");
    assert_eq!(filled_in(&shaping, None).unwrap().get(), r#"{"a":[1, 2],"b":null}"#);
}

#[test]
fn a_shape_that_no_call_can_fit_is_told() {
    let raw = json(
        r##"{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/x"}},"required":["a"]}}"##,
    );
    let definition = Definition::new("t".to_owned(), raw);
    let flaw = |hidden, defaults| flaw(&definition, &shaping(hidden, defaults));
    assert!(flaw(&["a"], &[]).unwrap().contains("`a` is hidden, the tool requires it"));
    assert!(flaw(&[], &[("a", "7")]).unwrap().contains("`a` does not fit its schema"));
    assert_eq!(flaw(&["a"], &[("a", "\"x\""), ("b", "7")]), None);
}

fn server(names: &[(&str, &str)]) -> Server {
    let mut server = Server::new(Transport::Builtin);
    let settings = |name: &str| {
        let rename = Some(ShownToolName::parse(name).unwrap());
        let shaping = Some(Arc::new(ToolShaping { rename, ..ToolShaping::default() }));
        ToolSettings { shaping, ..ToolSettings::default() }
    };
    let named = names.iter().map(|(tool, name)| ((*tool).to_owned(), settings(name)));
    server.tool_settings = named.collect::<IndexMap<_, _>>();
    server
}

#[test]
fn a_given_name_is_the_tools_and_its_own_is_nobodys() {
    let server = server(&[("a", "b"), ("x", "y"), ("y", "x")]);
    let names = ShownNames::of(&server);
    assert_eq!(names.shown("a"), Ok("b"));
    assert_eq!(names.shown("b"), Err("`b` is the name that its entry gives to `a`".to_owned()));
    assert_eq!((names.shown("x"), names.shown("y")), (Ok("y"), Ok("x")), "they changed names");
    assert_eq!((names.own("b"), names.own("a"), names.own("c")), (Some("a"), None, Some("c")));
    assert_eq!((names.own("x"), names.own("y")), (Some("y"), Some("x")));
}
