//! One step of a workflow as an address, and a part of its bundles.

use http::StatusCode;
use serde_json::json;

use super::{META_TOOLS, house, strings};

/// Shows: P11-2.
#[tokio::test]
async fn a_step_of_a_workflow_is_an_address_and_one_that_is_not_mapped_shows_nothing() {
    let open = house()
        .step("ship/reader/look", &["reader-books"])
        .step("ship/writer/look", &["reader-books"])
        .step("ship/writer/write", &["writer-books", "writer-maps"])
        .step("ship/writer/rest", &[])
        .open()
        .await;
    let mut writes =
        [META_TOOLS.map(str::to_owned).to_vec(), strings(&["books__read", "books__write"])]
            .concat();
    writes.sort();
    for (path, expected) in [
        ("/mcp/ship/reader/look", strings(&["books__read"])),
        ("/mcp/ship/writer/look", strings(&["books__read"])),
        ("/mcp/ship/writer/write", writes),
        ("/mcp/ship/writer/rest", Vec::new()),
        ("/mcp/ship/writer/absent", Vec::new()),
        ("/mcp/ship/writer/write/s/maps", strings(&META_TOOLS)),
    ] {
        for _ in 0..2 {
            assert_eq!(open.caller("ada", path).names("tools/list").await, expected, "{path}");
        }
    }
    // Resources and prompts are those of the step's servers.
    let look = open.caller("ada", "/mcp/ship/writer/look");
    assert_eq!(look.names("prompts/list").await, ["books__greet"]);
    assert_eq!(look.names("resources/list").await, ["books"]);
    let read = look.ask("resources/read", json!({"uri": "maps:1"})).await;
    assert!(read["error"].is_object(), "{read}");
    let nothing = open.caller("ada", "/mcp/ship/writer/absent");
    for list in ["prompts/list", "resources/list"] {
        assert_eq!(nothing.names(list).await, [""; 0], "{list}");
    }
    // A token of a role is for the steps of that role, and a workflow has no role by itself.
    for (token, path, expected) in [
        ("bob", "/mcp/ship/reader/look", StatusCode::OK),
        ("bob", "/mcp/ship/writer/look", StatusCode::NOT_FOUND),
        ("eve", "/mcp/ship/writer/look", StatusCode::OK),
        ("ada", "/mcp/ship/nobody/look", StatusCode::NOT_FOUND),
        ("ada", "/mcp/absent/reader/look", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/reader", StatusCode::NOT_FOUND),
    ] {
        let reply = open.caller(token, path).request(json!(1), "tools/list", json!({})).await;
        assert_eq!(reply.status, expected, "{token} at {path}");
    }
    // What is called at a step is recorded for its role.
    open.caller("bob", "/mcp/ship/reader/look").call("books__read", json!({})).await;
    let records = open.records().await;
    let entry = records.iter().find(|entry| entry.tool.as_deref() == Some("read")).unwrap();
    assert_eq!((entry.principal.as_str(), entry.role.as_deref()), ("bob", Some("reader")));
}

/// Whoever calls leaves bundles of a step out, and adds none: not those of another step of its role, and not
/// those that no step has.
///
/// Shows: P11-2.
#[tokio::test]
async fn a_run_leaves_out_bundles_of_its_step_and_can_add_none() {
    let open = house()
        .step("ship/writer/look", &["reader-books"])
        .step("ship/writer/write", &["writer-books", "writer-maps"])
        .open()
        .await;
    let both = ["/mcp/ship/writer/write", "/mcp/ship/writer/write=writer-maps,writer-books"];
    let whole = open.caller("ada", both[0]).names("tools/list").await;
    assert_eq!(open.caller("ada", both[1]).names("tools/list").await, whole);
    let maps = open.caller("ada", "/mcp/ship/writer/write=writer-maps");
    assert_eq!(maps.names("tools/list").await, META_TOOLS);
    let books = open.caller("ada", "/mcp/ship/writer/write=writer-books,writer-books");
    assert_eq!(books.names("tools/list").await, ["books__read", "books__write"]);
    assert_eq!(books.names("prompts/list").await, ["books__greet"]);
    let left_out = maps.call("books__read", json!({})).await;
    let absent = maps.call("books__absent", json!({})).await;
    assert_eq!(left_out["error"]["code"], absent["error"]["code"], "{left_out}");
    assert!(left_out["error"].is_object(), "{left_out}");
    for (token, path, expected) in [
        ("eve", "/mcp/ship/writer/write=writer-maps/s/maps", StatusCode::OK),
        ("eve", "/mcp/ship/writer/write=writer-maps/s/books", StatusCode::NOT_FOUND),
        ("bob", "/mcp/ship/writer/write=writer-maps", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/writer/write=writer-books,reader-books", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/writer/look=writer-books", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/writer/absent=writer-books", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/writer/look=absent", StatusCode::NOT_FOUND),
        ("ada", "/mcp/ship/writer/look=", StatusCode::NOT_FOUND),
        ("ada", "/mcp/writer=writer-books", StatusCode::NOT_FOUND),
    ] {
        let reply = open.caller(token, path).request(json!(1), "tools/list", json!({})).await;
        assert_eq!(reply.status, expected, "{token} at {path}");
    }
}
