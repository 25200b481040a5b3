//! Lists: the odd item is set aside, the others keep every byte.

use super::*;

fn page(kind: ListMethod, json: &str) -> Result<ListPage<'_>, ListError> {
    ListPage::parse(kind, serde_json::from_str(json).unwrap())
}

fn reasons(page: &ListPage<'_>) -> Vec<(usize, String)> {
    let short =
        |odd: &SetAside<'_>| odd.reason.to_string().split(" (byte").next().map(String::from);
    page.set_aside.iter().map(|odd| (odd.index, short(odd).unwrap_or_default())).collect()
}

#[test]
fn one_odd_tool_does_not_take_the_others_with_it() {
    let json = r#"{"tools":[
        {"name":"a","inputSchema":{"maximum":1.0}},
        {"title":"no name"},
        {"name":7},
        {"name":""},
        "not a tool",
        {"name":"b","x":{"k":1,"k":2}},
        {"name":"c"}
    ]}"#;
    let page = page(ListMethod::Tools, json).unwrap();
    let kept: Vec<_> = page.items.iter().map(|item| (&*item.key, item.raw().get())).collect();
    assert_eq!(
        kept,
        [("a", r#"{"name":"a","inputSchema":{"maximum":1.0}}"#), ("c", r#"{"name":"c"}"#)]
    );
    let expected = [
        (1, "has no `name`"),
        (2, "`name` is not a string"),
        (3, "`name` is empty"),
        (4, "not an object"),
        (5, "the key `k` appears twice in one object"),
    ];
    let expected: Vec<_> = expected.iter().map(|(at, why)| (*at, (*why).to_owned())).collect();
    assert_eq!(reasons(&page), expected);
}

#[test]
fn a_tool_nested_too_deep_is_set_aside() {
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let json = format!(r#"{{"tools":[{{"name":"a","x":{deep}}},{{"name":"b"}}]}}"#);
    let page = page(ListMethod::Tools, &json).unwrap();
    assert_eq!(page.items.len(), 1);
    assert!(matches!(page.set_aside[0].reason, OddItem::Json(JsonError::TooDeep { .. })));
}

#[test]
fn each_list_has_its_member_and_its_key() {
    for (kind, json) in [
        (ListMethod::Tools, r#"{"tools":[{"name":"x"}]}"#),
        (ListMethod::Prompts, r#"{"prompts":[{"name":"x"}]}"#),
        (ListMethod::Resources, r#"{"resources":[{"uri":"x","name":"y"}]}"#),
        (ListMethod::ResourceTemplates, r#"{"resourceTemplates":[{"uriTemplate":"x"}]}"#),
    ] {
        let page = page(kind, json).unwrap();
        assert_eq!(page.items[0].key, "x", "{kind:?}");
    }
}

#[test]
fn a_page_says_how_to_go_on_and_how_long_it_holds() {
    let json = r#"{"nextCursor":"a\/b","tools":[],"ttlMs":3e5,"cacheScope":"public","resultType":"complete","_meta":{"x":1}}"#;
    let full = page(ListMethod::Tools, json).unwrap();
    assert_eq!(full.next_cursor.map(RawValue::get), Some(r#""a\/b""#));
    assert_eq!((full.ttl_ms, full.cache_scope), (Some(300_000), Some(CacheScope::Public)));
    assert_eq!(full.result_type.as_deref(), Some("complete"));
    assert_eq!(full.meta.map(RawValue::get), Some(r#"{"x":1}"#));
    let bare = page(ListMethod::Tools, r#"{"tools":[],"nextCursor":null,"ttlMs":-1}"#).unwrap();
    assert!(bare.next_cursor.is_none() && bare.ttl_ms.is_none() && bare.cache_scope.is_none());
    let careful = page(ListMethod::Tools, r#"{"tools":[],"cacheScope":"tenant"}"#).unwrap();
    assert_eq!(careful.cache_scope, Some(CacheScope::Private));
}

#[test]
fn a_result_without_the_list_is_an_error() {
    let error = |json: &str| page(ListMethod::Tools, json).unwrap_err();
    assert_eq!(error("[]"), ListError::NotAnObject);
    assert_eq!(error("{}"), ListError::NoList { member: "tools" });
    assert_eq!(error(r#"{"tools":{}}"#), ListError::NoList { member: "tools" });
    let twice = error(r#"{"tools":[],"tools":[]}"#);
    assert!(matches!(twice, ListError::Json(JsonError::DuplicateKey { .. })), "{twice:?}");
}
