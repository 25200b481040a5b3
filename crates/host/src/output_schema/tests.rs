//! What is cut, what never is, and what comes out.

use serde_json::json;

use super::*;

const URI: &str = "toolgate://artifact/0123456789abcdef0123456789abcdef";
const REFERENCE: CutReference<'static> = CutReference { content: URI, text: None };
const LIMIT: usize = 4096;

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

/// The shorter content, which keeps the schema; nothing if it stays whole.
fn shortened(schema: &Value, content: &Value) -> Option<Value> {
    let schema = OutputSchema::new(&raw(schema), 1 << 16).unwrap();
    let content = raw(content);
    let shortening = schema.shortening(&content, LIMIT, &REFERENCE)?;
    let written = shortening.written(&REFERENCE);
    assert!(schema.is_kept(&written), "{written}");
    Some(serde_json::from_str(&written).unwrap())
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn is_marked(text: &Value) -> bool {
    let text = text.as_str().unwrap();
    text.contains("[cut here: ") && text.ends_with(&format!("kept at {URI}]"))
}

#[test]
fn a_long_text_ends_with_a_mark_and_the_rest_stays_as_it_is() {
    let schema = object(json!({"content": {"type": "string"}, "n": {"type": "number"}}));
    let schema = OutputSchema::new(&raw(&schema), 1 << 16).unwrap();
    let long = "é".repeat(10_000);
    let content = format!(r#"{{ "n": 1.50, "c\u006fntent":"{long}" }}"#);
    let content = RawValue::from_string(content).unwrap();
    let shortening = schema.shortening(&content, LIMIT, &REFERENCE).unwrap();
    let written = shortening.written(&REFERENCE);
    assert!(written.len() <= LIMIT && written.starts_with(r#"{"n":1.50,"c\u006fntent":"éé"#));
    assert!(is_marked(&serde_json::from_str::<Value>(&written).unwrap()["content"]));
    assert!(written.contains("20000 bytes in all"), "{written}");
}

#[test]
fn what_only_its_author_can_write_is_never_cut() {
    let long = "a".repeat(20_000);
    for exact in [
        json!({"const": long}),
        json!({"enum": [long, "b"]}),
        json!({"type": "string", "pattern": "^a+$"}),
        json!({"type": "string", "format": "uri"}),
        json!({"type": "string", "contentEncoding": "base64"}),
        json!({"anyOf": [{"type": "string", "format": "uri"}, {"type": "string"}]}),
        json!({"allOf": [{"$ref": "#/$defs/exact"}]}),
    ] {
        let mut schema = object(json!({"a": exact}));
        schema["$defs"] = json!({"exact": {"type": "string", "contentEncoding": "base64"}});
        assert_eq!(shortened(&schema, &json!({"a": long})), None, "{schema}");
        // The one beside it is.
        schema["properties"]["b"] = json!({"type": "string"});
        let beside = shortened(&schema, &json!({"a": long, "b": "b".repeat(60_000)}));
        // Patterns times bytes may be more than is checked.
        if !schema.to_string().contains("pattern") {
            let beside = beside.unwrap();
            assert!(beside["a"] == long.as_str() && is_marked(&beside["b"]), "{schema}");
        }
    }
}

#[test]
fn lengths_that_a_schema_wants_are_kept() {
    let long = json!({"a": "a".repeat(20_000)});
    let least = object(json!({"a": {"type": "string", "minLength": 3000}}));
    let cut = shortened(&least, &long).unwrap();
    assert!(is_marked(&cut["a"]) && cut["a"].as_str().unwrap().len() >= 3000);
    let most = object(json!({"a": {"type": "string", "maxLength": 20_000}}));
    assert!(is_marked(&shortened(&most, &long).unwrap()["a"]));
    let exactly = object(json!({"a": {"type": "string", "minLength": 20_000}}));
    assert_eq!(shortened(&exactly, &long), None);
}

#[test]
fn a_list_ends_with_an_item_that_carries_the_mark() {
    let names: Vec<_> = (0..5000).map(|n| format!("name {n}")).collect();
    let texts = object(json!({"all": {"type": "array", "items": {"type": "string"}}}));
    let cut = shortened(&texts, &json!({"all": names})).unwrap();
    let all = cut["all"].as_array().unwrap();
    assert!(all.len() > 10 && all[0] == "name 0", "{cut}");
    assert!(is_marked(all.last().unwrap()) && !is_marked(&all[all.len() - 2]));

    let row = json!({"n": {"type": "integer"}, "name": {"type": "string"}});
    let rows = object(json!({"all": {"type": "array", "minItems": 3, "items": object(row)}}));
    let content: Vec<_> = (0..5000).map(|n| json!({"n": n, "name": format!("name {n}")})).collect();
    let cut = shortened(&rows, &json!({"all": content})).unwrap();
    let all = cut["all"].as_array().unwrap();
    let last = all.last().unwrap();
    assert!(all.len() >= 3 && is_marked(&last["name"]), "{last}");
    assert_eq!(last["n"], all.len() - 1, "it is an item of the list itself");
    let left = format!("[cut here: {} more of 5000 items", 5000 - all.len());
    assert!(last["name"].as_str().unwrap().contains(&left), "{last}");
}

#[test]
fn a_list_whose_items_cannot_say_so_stays_whole() {
    let numbers: Vec<_> = (0..5000).collect();
    let named: Vec<_> = (0..5000).map(|n| ["up", "down"][n % 2]).collect();
    for (item, content) in [
        (json!({"type": "integer"}), json!(numbers)),
        (json!({"enum": ["up", "down"]}), json!(named)),
        (json!({"type": "string", "maxLength": 20}), json!(named)),
    ] {
        let schema = object(json!({"all": {"type": "array", "items": item}}));
        assert_eq!(shortened(&schema, &json!({"all": content})), None, "{schema}");
    }
    let bounds = object(json!({"all": {"type": "array", "minItems": 5000}}));
    assert_eq!(shortened(&bounds, &json!({"all": named})), None);
    let tuple = object(json!({"all": {"type": "array", "prefixItems": [{"type": "string"}]}}));
    assert_eq!(shortened(&tuple, &json!({"all": named})), None);
}

#[test]
fn what_never_fitted_or_is_not_understood_stays_whole() {
    let long = "a".repeat(20_000);
    let schema = object(json!({"a": {"type": "string"}}));
    assert_eq!(shortened(&schema, &json!({"b": long})), None);
    let twice = RawValue::from_string(format!(r#"{{"a":"{long}","a":"{long}"}}"#)).unwrap();
    let checked = OutputSchema::new(&raw(&schema), 1 << 16).unwrap();
    assert!(checked.shortening(&twice, LIMIT, &REFERENCE).is_none());
    let circle = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    assert!(OutputSchema::new(&raw(&circle), 1 << 16).is_none());
    assert!(OutputSchema::new(&raw(&schema), 10).is_none());
}

#[test]
fn a_text_that_is_kept_by_itself_says_where_to_read_on_in_it() {
    let schema = object(json!({"content": {"type": "string"}}));
    let schema = OutputSchema::new(&raw(&schema), 1 << 16).unwrap();
    let long = "a".repeat(20_000);
    let content = raw(&json!({"content": long}));
    let reference = CutReference { content: "nowhere", text: Some((&long, URI)) };
    let shortening = schema.shortening(&content, LIMIT, &reference).unwrap();
    assert!(!shortening.cuts_more_than_text(&reference));
    let written = shortening.written(&reference);
    assert!(written.contains(&format!("read on at {URI}?bytes=1024-33791]")), "{written}");
}
