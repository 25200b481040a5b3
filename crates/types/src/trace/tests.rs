//! Which texts name a place in a trace, and which `_meta` has one.

use serde_json::value::RawValue;

use super::TraceParent;

const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn of_meta(json: &str) -> Option<TraceParent> {
    TraceParent::of_meta(&RawValue::from_string(json.to_owned()).unwrap())
}

#[test]
fn a_good_one_is_read_to_its_bytes() {
    let parent = TraceParent::parse(GOOD).unwrap();
    assert_eq!(parent.trace(), 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
    assert_eq!(parent.span(), 0xb7ad_6b71_6920_3331);
    assert_eq!(parent.flags(), 1);
}

#[test]
fn what_is_not_well_formed_names_nothing() {
    let changed = |at: usize, with: &str| {
        let mut text = GOOD.to_owned();
        text.replace_range(at..at + with.len(), with);
        text
    };
    let zero_trace = changed(3, &"0".repeat(32));
    let zero_span = changed(36, &"0".repeat(16));
    let bad = [
        String::new(),
        "00-1-2-3".to_owned(),
        GOOD[..54].to_owned(),
        format!("{GOOD}0"),
        format!("{GOOD}-more"),
        format!(" {GOOD}"),
        changed(0, "ff"),
        changed(0, "0g"),
        changed(3, "0A"),
        changed(10, "é"),
        changed(2, "_"),
        changed(35, "_"),
        changed(52, "_"),
        changed(53, "0x"),
        zero_trace,
        zero_span,
    ];
    for text in bad {
        assert_eq!(TraceParent::parse(&text), None, "{text:?}");
    }
}

#[test]
fn a_later_version_may_go_on_after_what_is_known() {
    let later = GOOD.replacen("00", "01", 1);
    let known = TraceParent::parse(GOOD);
    assert!(known.is_some());
    assert_eq!(TraceParent::parse(&later), known);
    assert_eq!(TraceParent::parse(&format!("{later}-more")), known);
    assert_eq!(TraceParent::parse(&format!("{later}more")), None);
}

#[test]
fn only_a_text_of_that_name_at_the_top_of_meta_counts() {
    assert_eq!(
        of_meta(&format!(r#"{{"x":[1.0],"traceparent":"{GOOD}","y":{{}}}}"#)),
        TraceParent::parse(GOOD)
    );
    let escaped = GOOD.replacen('-', "\\u002d", 1);
    assert_eq!(of_meta(&format!(r#"{{"traceparent":"{escaped}"}}"#)), TraceParent::parse(GOOD));
    for without in [
        "{}".to_owned(),
        "null".to_owned(),
        "[\"traceparent\"]".to_owned(),
        r#"{"traceparent":null}"#.to_owned(),
        r#"{"traceparent":7}"#.to_owned(),
        format!(r#"{{"inner":{{"traceparent":"{GOOD}"}}}}"#),
        format!(r#"{{"x-traceparent":"{GOOD}"}}"#),
    ] {
        assert_eq!(of_meta(&without), None, "{without}");
    }
}
