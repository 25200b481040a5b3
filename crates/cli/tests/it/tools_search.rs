//! `tools search` finds what the library finds, in the same order: in a file, and among the servers' tools.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolgate_search::{CatalogTool, ToolIndex};
use toolgate_testkit::{Act, Script};

use crate::support::World;

fn labelled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search").join(name)
}

/// Server and tool of each, the best first.
fn by_library(tools: &[CatalogTool], query: &str, limit: usize) -> Vec<(String, String)> {
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let found = index.search(query, limit, |_| 0.0);
    let named = |place: usize| (tools[place].server.clone(), tools[place].name.clone());
    found.iter().map(|one| named(one.place)).collect()
}

fn by_command(world: &World, words: &[&str]) -> Vec<(String, String)> {
    let ran = world.run(&[&["tools", "search", "--json"], words].concat()).ok();
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
    let tools = answer["tools"].as_array().unwrap();
    tools.iter().map(|tool| (text(tool, "server"), text(tool, "tool"))).collect()
}

#[test]
fn a_list_of_definitions_is_ranked_as_the_library_ranks_it() {
    let world = World::new();
    let file = labelled("catalog.jsonl");
    let tools = CatalogTool::read_all(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let queries = ["queries.jsonl", "queries-dev.jsonl"]
        .map(|name| std::fs::read_to_string(labelled(name)).unwrap());
    for line in queries.iter().flat_map(|file| file.lines()).step_by(40) {
        let labelled: Value = serde_json::from_str(line).unwrap();
        let query = labelled["query"].as_str().unwrap();
        let words = ["--catalog", file.to_str().unwrap(), "--limit", "10", "--", query];
        let expected = by_library(&tools, query, 10);
        assert!(!expected.is_empty(), "{query}");
        assert_eq!(by_command(&world, &words), expected, "{query}");
    }
}

#[test]
fn the_tools_of_servers_are_ranked_as_the_library_ranks_them_until_one_served() {
    let described = [
        ("create_issue", "Opens an issue."),
        ("create_note", "Writes a note."),
        ("list_issues", "Lists issues."),
    ];
    let defined: Vec<String> = described
        .map(|(name, text)| format!(r#"{{"name":"{name}","description":"{text}"}}"#))
        .to_vec();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{}]}}"#, defined.join(",")))])
        .on_call("create_note", [Act::say("written")]);
    let world = World::new();
    let mut tools = Vec::new();
    for server in ["one", "two"] {
        world.local(server, &script);
        for tool in &defined {
            let tool = tool.replacen('{', &format!(r#"{{"server":"{server}","#), 1);
            tools.extend(CatalogTool::read_all(&tool).unwrap());
        }
    }
    for query in ["open a ticket", "write down a note", "which issues are there"] {
        assert_eq!(by_command(&world, &[query]), by_library(&tools, query, 5), "{query}");
    }
    let note = |server: &str| (server.to_owned(), "create_note".to_owned());
    assert_eq!(by_command(&world, &["write a note"])[..2], [note("one"), note("two")]);
    world.run(&["call", "two", "create_note"]).ok();
    assert_eq!(by_command(&world, &["write a note"])[..2], [note("two"), note("one")]);
}
