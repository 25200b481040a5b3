//! `resources`: listed with their templates, read as text or into a file.

use toolgate_testkit::everything;

use crate::support::{World, served, without_reference};

fn world() -> World {
    let world = World::new();
    world.local("s", &everything::legacy());
    world
}

#[test]
fn resources_and_templates_are_listed() {
    let world = world();
    insta::assert_snapshot!(world.run(&["resources", "list"]).ok().stdout, @"
    server  uri                      description
    s       test://static-binary
    s       test://static-text
    s       test://watched-resource
    ");
    insta::assert_snapshot!(world.run(&["resources", "list", "--templates"]).ok().stdout, @"
    server  template                   description
    s       test://template/{id}/data
    ");
    let json = world.run(&["resources", "list", "--json", "--server", "s", "--templates"]);
    insta::assert_snapshot!(json.ok().stdout, @r#"
    {
      "schemaVersion": 1,
      "resourceTemplates": [
        {
          "server": "s",
          "uriTemplate": "test://template/{id}/data",
          "definition": {"uriTemplate":"test://template/{id}/data","name":"template","mimeType":"application/json"}
        }
      ],
      "servers": []
    }
    "#);
    let json = world.run(&["mcp", "resources", "list", "--json"]).ok().json();
    assert_eq!(json["resources"][1]["uri"], "test://static-text");
    assert_eq!(json["resources"][1]["definition"]["name"], "static-text");
}

#[test]
fn a_text_is_printed_and_data_goes_into_a_file() {
    let world = world();
    let text = world.run(&["resources", "read", "s", "test://static-text"]).ok();
    assert_eq!(text.stdout, "This is the content of the static text resource.\n");
    let read = ["resources", "read", "s", "test://static-binary", "--out", "."];
    let ran = world.run(&read).ok();
    insta::assert_snapshot!(without_reference(&ran.stdout), @"wrote image/png (70 bytes) to ./toolgate-<ref>-1.png");
    let json = world.run(&["resources", "read", "s", "test://static-text", "--json"]);
    insta::assert_snapshot!(json.ok().stdout, @r#"
    {
      "schemaVersion": 1,
      "server": "s",
      "uri": "test://static-text",
      "result": {"contents":[{"uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource."}]}
    }
    "#);
}

#[test]
fn over_http_it_is_the_same_in_the_modern_era() {
    let (_runtime, site) = served(everything::modern());
    let world = World::new();
    world.server("s", &format!("url = {:?}", site.url("/mcp")));
    let text = world.run(&["resources", "read", "s", "test://static-text"]).ok();
    assert_eq!(text.stdout, "This is the content of the static text resource.\n");
    let listed = world.run(&["resources", "list"]).ok();
    assert!(listed.stdout.contains("test://static-binary"), "{listed:?}");
}

#[test]
fn one_that_is_not_there_is_an_error_in_the_servers_words() {
    let ran = world().run(&["resources", "read", "s", "test://nope"]).fails_with(1);
    assert!(ran.stderr.contains("resource not found (not_found, ref "), "{ran:?}");
}

#[test]
fn what_the_entry_hides_is_not_asked_for() {
    let (_runtime, site) = served(everything::legacy());
    let world = World::new();
    let keys = "deny_resources = [\"test://static-*\"]";
    world.server("s", &format!("url = {:?}\n{keys}", site.url("/mcp")));
    let ran = world.run(&["resources", "read", "s", "test://static-text"]).fails_with(1);
    insta::assert_snapshot!(without_reference(&ran.stderr), @"error: there is no `s/test://static-text` (not_found, ref <ref>)");
    assert!(!site.visits().iter().any(|visit| visit.posts("resources/read")));
}
