//! Definitions as servers really send them.

use super::*;

fn read(json: &str) -> Definition {
    Definition::new("t".to_owned(), serde_json::from_str(json).unwrap())
}

#[test]
fn what_is_odd_counts_as_absent_and_stays_in_the_raw_definition() {
    let json = r#"{"name":"t","title":7,"description":["no"],"inputSchema":true,
        "annotations":{"readOnlyHint":"yes","destructiveHint":false,"x-new":1},"icons":[{"theme":"sepia"}]}"#;
    let definition = read(json);
    assert_eq!(definition.title, None);
    assert_eq!(definition.description, None);
    assert_eq!(definition.input_schema.unwrap().get(), "true");
    assert_eq!(definition.hints, ToolHints { destructive: Some(false), ..ToolHints::default() });
    assert_eq!(definition.raw.get(), json);
}

#[test]
fn annotations_that_are_no_object_say_nothing() {
    assert_eq!(read(r#"{"annotations":[1]}"#).hints, ToolHints::default());
    assert_eq!(read(r#"{"annotations":null}"#).hints, ToolHints::default());
}

#[test]
fn texts_are_read_with_their_escapes() {
    let definition = read(r#"{"title":"a\u00e9","description":"line\nnext"}"#);
    assert_eq!(definition.title.as_deref(), Some("aé"));
    assert_eq!(definition.description.as_deref(), Some("line\nnext"));
}
