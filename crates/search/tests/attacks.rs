//! What a server can do to be found: write every word into its tools, or succeed at everything. Over the
//! labelled queries of `tests/search`, neither takes the place of what fits.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_search::{CatalogTool, ToolIndex};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn catalog() -> Vec<CatalogTool> {
    CatalogTool::read_all(&text("catalog.jsonl")).unwrap()
}

fn queries() -> Vec<String> {
    let query = |line| serde_json::from_str::<Value>(line).unwrap()["query"].clone();
    text("queries.jsonl").lines().map(|line| query(line).as_str().unwrap().to_owned()).collect()
}

/// Enough of them, of each kind.
fn some_queries() -> Vec<String> {
    queries().into_iter().step_by(3).collect()
}

/// More than the tools that change places.
const WIDE: usize = 40;

/// Every word of every query, which is more than anybody could know.
fn every_word() -> Vec<String> {
    let text = queries().join(" ").to_lowercase();
    let mut words: Vec<String> =
        text.split(|one: char| !one.is_alphanumeric()).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

/// How many queries have a tool of this server first.
fn wins(tools: &[CatalogTool], server: &str) -> usize {
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let queries = some_queries();
    let is_first = |query: &&String| {
        let found = index.search(query, 1, |_| 0.0);
        found.first().is_some_and(|one| tools[one.place].server == server)
    };
    queries.iter().filter(is_first).count()
}

/// Tools of a server that has nothing but words, each with these in its name and the others elsewhere.
fn stuffed(names_and_texts: impl Iterator<Item = (String, String)>) -> Vec<CatalogTool> {
    let all = every_word().join(" ");
    let schema = serde_json::json!({"properties": {"x": {"description": all}}}).to_string();
    let tool = |(name, text): (String, String)| CatalogTool {
        server: "stuffed".to_owned(),
        name,
        title: Some(text.clone()),
        description: Some(text),
        schema: Some(RawValue::from_string(schema.clone()).unwrap()),
    };
    names_and_texts.map(tool).collect()
}

#[test]
fn a_server_that_stuffs_every_word_is_seldom_found_first() {
    let words = every_word();
    let all = words.join(" ");
    let named = |size: usize| words.chunks(size).map(|some| (some.join("_"), some.join(" ")));
    // All of them in each tool, and a share of them in each of many.
    let whole = stuffed((0..20).map(|number| (format!("helper_{number}"), all.clone())));
    let shares = stuffed(words.chunks(40).map(|some| ("helper".to_owned(), some.join(" "))));
    // The last are like any tools, for words that no other tool has: these are found.
    for (stuffing, one_in) in
        [(whole, 100), (shares, 20), (stuffed(named(24)), 50), (stuffed(named(9)), 7)]
    {
        let mut tools = catalog();
        tools.extend(stuffing);
        let (count, won) = (some_queries().len(), wins(&tools, "stuffed"));
        assert!(won * one_in <= count, "{won} of {count}, one in {one_in} was expected");
    }
}

#[test]
fn a_server_that_succeeds_at_everything_gains_a_tenth_at_most() {
    let tools = catalog();
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let is_lucky = |place: usize| tools[place].server == "github";
    let mut moved = 0;
    let queries = some_queries();
    for query in &queries {
        let plain = index.search(query, WIDE, |_| 0.0);
        let lifted = index.search(query, WIDE, |place| f32::from(u8::from(is_lucky(place))));
        for one in &lifted {
            let Some(before) = plain.iter().find(|other| other.place == one.place) else {
                continue;
            };
            let most = if is_lucky(one.place) { 1.1 } else { 1.0 };
            assert!(
                one.score <= before.score * most * 1.0001,
                "{query}: {}",
                tools[one.place].name
            );
        }
        let (first, then) = (plain.first(), lifted.first());
        moved += usize::from(first.map(|one| one.place) != then.map(|one| one.place));
    }
    assert!(moved * 20 <= queries.len(), "{moved}");
}
