//! Whole lists, from servers that list well and from servers that never stop.

use toolgate_testkit::{Act, Script};
use toolgate_upstream::{FetchedList, PageLimits};
use toolgate_wire::ListMethod;

use crate::connected;

async fn listed(acts: impl Into<Vec<Act>>, limits: PageLimits) -> FetchedList {
    let (connection, _peer) = connected(Script::legacy().on("tools/list", acts)).await;
    connection.list(ListMethod::Tools, limits).await.unwrap()
}

fn names(listed: &FetchedList) -> Vec<&str> {
    listed.items.iter().map(|(name, _)| name.as_str()).collect()
}

/// A page with one tool named after its number; the cursor too, unless it is given.
fn page(cursor: &str) -> Act {
    let tool = r#"{"name":"tool${n}","inputSchema":{}}"#;
    Act::answer(format!(r#"{{"tools":[{tool}],"nextCursor":{cursor}}}"#))
}

/// Shows: S1-10, S1-67.
#[tokio::test(start_paused = true)]
async fn a_list_is_read_to_its_last_cursor() {
    let first = r#"{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"p 2\u00e9"}"#;
    let second = r#"{"tools":[{"name":"b","inputSchema":{}}]}"#;
    let pages = Act::InTurn(vec![Act::answer(first), Act::answer(second)]);
    let (connection, peer) = connected(Script::legacy().on("tools/list", [pages])).await;
    let listed = connection.list(ListMethod::Tools, PageLimits::default()).await.unwrap();
    assert_eq!((names(&listed), listed.cut), (vec!["a", "b"], None));
    let asked: Vec<_> =
        peer.seen().into_iter().filter(|line| line.contains("tools/list")).collect();
    assert_eq!(asked.len(), 2);
    assert!(!asked[0].contains("cursor"), "{asked:?}");
    assert!(asked[1].contains(r#""cursor":"p 2\u00e9""#), "as it came: {asked:?}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_cursor_is_the_end() {
    let listed = listed([page("\"\"")], PageLimits::default()).await;
    assert_eq!((names(&listed), listed.cut), (vec!["tool1"], None));
}

/// Shows: S1-67, E-3.
#[tokio::test(start_paused = true)]
async fn a_list_without_end_is_cut_at_so_many_pages() {
    let limits = PageLimits { pages: 5, ..PageLimits::default() };
    let listed = listed([page(r#""c${n}""#)], limits).await;
    assert_eq!(names(&listed), ["tool1", "tool2", "tool3", "tool4", "tool5"]);
    assert_eq!(listed.cut, Some("there were too many pages"));
}

/// Shows: E-3.
#[tokio::test(start_paused = true)]
async fn a_cursor_that_comes_again_ends_the_list() {
    let listed = listed([page(r#""same""#)], PageLimits::default()).await;
    assert_eq!(names(&listed), ["tool1", "tool2"]);
    assert_eq!(listed.cut, Some("a cursor came twice"));
}

/// Shows: E-3.
#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_too_long_ends_the_list() {
    let limits = PageLimits { cursor_bytes: 10, ..PageLimits::default() };
    let listed = listed([page(r#""longer than ten""#)], limits).await;
    assert_eq!(listed.cut, Some("a cursor was too long"));
}

/// Shows: E-3.
#[tokio::test(start_paused = true)]
async fn a_list_is_cut_at_so_many_items_and_at_so_many_bytes() {
    let tools = r#"{"name":"a","inputSchema":{}},"#.repeat(10);
    let page = format!(r#"{{"tools":[{}]}}"#, tools.trim_end_matches(','));
    let few = PageLimits { items: 3, ..PageLimits::default() };
    let by_items = listed([Act::answer(page.clone())], few).await;
    assert_eq!((by_items.items.len(), by_items.cut), (3, Some("there were too many items")));
    let small = PageLimits { bytes: 100, ..PageLimits::default() };
    let by_bytes = listed([Act::answer(page)], small).await;
    assert_eq!((by_bytes.items.len(), by_bytes.cut), (3, Some("the list is too large")));
}

#[tokio::test(start_paused = true)]
async fn one_odd_tool_is_set_aside_and_the_others_stay() {
    let odd = r#"{"tools":[{"name":"a","inputSchema":{}},7,{"inputSchema":{}},
        {"name":"twice","name":"twice","inputSchema":{}},{"name":"b","inputSchema":{}}]}"#
        .replace('\n', " ");
    let listed = listed([Act::answer(odd)], PageLimits::default()).await;
    assert_eq!(names(&listed), ["a", "b"]);
    assert_eq!(listed.set_aside.len(), 3, "{:?}", listed.set_aside);
    assert!(listed.set_aside[0].starts_with("item 1: "), "{:?}", listed.set_aside);
}

/// A server that changes its mind is believed each time.
#[tokio::test(start_paused = true)]
async fn each_list_is_what_the_server_has_then() {
    let script = Script::legacy().on("tools/list", [page("null")]);
    let (connection, _peer) = connected(script).await;
    for expected in ["tool1", "tool2", "tool3"] {
        let listed = connection.list(ListMethod::Tools, PageLimits::default()).await.unwrap();
        assert_eq!(names(&listed), [expected]);
    }
}

#[tokio::test(start_paused = true)]
async fn something_that_is_no_list_is_an_error_of_the_server() {
    let script = Script::legacy().on("tools/list", [Act::answer(r#"{"tools":"none"}"#)]);
    let (connection, _peer) = connected(script).await;
    let error = connection.list(ListMethod::Tools, PageLimits::default()).await.unwrap_err();
    assert!(matches!(error, toolgate_upstream::RequestError::Protocol(_)), "{error}");
}
