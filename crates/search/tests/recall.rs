//! What is found of the tools that `tests/search` labels: no less than was reached, in all and of each kind of
//! query; and how large an index is. How fast it is searched is for `cargo xtask bench`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use serde::Deserialize;
use toolgate_search::{CatalogTool, ToolIndex};

#[derive(Deserialize)]
struct LabelledQuery {
    query: String,
    relevant: Vec<String>,
}

/// The kinds of queries, each from this line on, with what is found of them among the first five. They are a
/// little below what was measured, so that a better word for one thing may cost another a query.
const KINDS: [(&str, usize, f64); 5] = [
    ("keywords", 0, 0.95),
    ("sentences", 46, 0.92),
    ("paraphrases", 140, 0.65),
    ("typos", 250, 0.85),
    ("several steps", 260, 0.71),
];

const FIRST_FIVE: f64 = 0.80;
const FIRST_TEN: f64 = 0.87;

/// The same of two sentences at once.
const OF_TWO_AMONG_FIVE: f64 = 0.76;
const OF_TWO_AMONG_TEN: f64 = 0.88;

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn catalog() -> Vec<CatalogTool> {
    CatalogTool::read_all(&text("catalog.jsonl")).unwrap()
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len() as f64
}

#[test]
fn the_labelled_tools_are_found_as_often_as_was_reached() {
    let tools = catalog();
    let servers: std::collections::BTreeSet<&str> =
        tools.iter().map(|tool| tool.server.as_str()).collect();
    assert!(tools.len() >= 500 && servers.len() >= 40, "{} of {}", tools.len(), servers.len());
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let (mut five, mut ten) = (Vec::new(), Vec::new());
    for line in text("queries.jsonl").lines() {
        let LabelledQuery { query, relevant } = serde_json::from_str(line).unwrap();
        let found = index.search(&query, 10, |_| 0.0);
        let found: Vec<String> = found
            .iter()
            .map(|one| format!("{}/{}", tools[one.place].server, tools[one.place].name))
            .collect();
        for label in &relevant {
            let is_there = |tool: &CatalogTool| *label == format!("{}/{}", tool.server, tool.name);
            assert!(tools.iter().any(is_there), "{query} is labelled with no tool: {label}");
        }
        let share = |most: usize| {
            let first = &found[..found.len().min(most)];
            relevant.iter().filter(|label| first.contains(label)).count() as f64
                / relevant.len() as f64
        };
        five.push(share(5));
        ten.push(share(10));
    }
    assert!(five.len() >= 150, "{}", five.len());
    let mut reached = format!("{:.3}@5 {:.3}@10", mean(&five), mean(&ten));
    let mut is_less = mean(&five) < FIRST_FIVE || mean(&ten) < FIRST_TEN;
    for (place, (kind, from, least)) in KINDS.into_iter().enumerate() {
        let until = KINDS.get(place + 1).map_or(five.len(), |(_, from, _)| *from);
        let share = mean(&five[from..until]);
        reached.push_str(&format!(", {kind} {share:.3}"));
        is_less |= share < least;
    }
    assert!(!is_less, "{reached}");
}

/// Two sentences as one request, each mostly for another server: what one of them finds does not hide the other.
#[test]
fn each_thing_that_a_request_is_for_is_found() {
    let tools = catalog();
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let queries = text("queries.jsonl");
    let read = |line| serde_json::from_str::<LabelledQuery>(line).unwrap();
    let sentences: Vec<LabelledQuery> = queries.lines().skip(46).take(94).map(read).collect();
    let (mut five, mut ten) = (Vec::new(), Vec::new());
    for (place, first) in sentences.iter().enumerate() {
        let second = &sentences[(place + 31) % sentences.len()];
        let request =
            format!("{}. Then: {}", first.query.trim_end_matches(['.', '?']), second.query);
        let found = index.search(&request, 10, |_| 0.0);
        let found: Vec<String> = found
            .iter()
            .map(|one| format!("{}/{}", tools[one.place].server, tools[one.place].name))
            .collect();
        let wanted: Vec<&String> = first.relevant.iter().chain(&second.relevant).collect();
        let share = |most: usize| {
            let first = &found[..found.len().min(most)];
            wanted.iter().filter(|label| first.contains(label)).count() as f64 / wanted.len() as f64
        };
        five.push(share(5));
        ten.push(share(10));
    }
    let (five, ten) = (mean(&five), mean(&ten));
    assert!(five >= OF_TWO_AMONG_FIVE && ten >= OF_TWO_AMONG_TEN, "{five:.3}@5 {ten:.3}@10");
}

#[test]
fn an_index_is_below_five_megabytes() {
    let tools = catalog();
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let bytes = index.about_bytes();
    assert!((100_000..5_000_000).contains(&bytes), "{bytes}");
}
