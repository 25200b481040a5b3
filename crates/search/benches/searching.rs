//! `cargo bench -p toolgate-search`: how long a search takes and how large an index is, for the catalogue of
//! `tests/search` and for five thousand tools. `--tenth` searches every tenth query.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints a measurement")]

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use toolgate_search::{CatalogTool, ToolIndex};

#[derive(Deserialize)]
struct LabelledQuery {
    query: String,
}

const MANY: usize = 5_000;

fn main() {
    let is_tenth = std::env::args().any(|word| word == "--tenth");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let tools = CatalogTool::read_all(&read("catalog.jsonl")).unwrap();
    let queries = read("queries.jsonl");
    let queries = queries.lines().step_by(if is_tenth { 10 } else { 1 });
    let queries: Vec<LabelledQuery> =
        queries.map(|line| serde_json::from_str(line).unwrap()).collect();
    // The same ones again under other names, as servers of one kind are.
    let again = |number: usize| {
        let tool = &tools[number % tools.len()];
        let server = format!("{}-{}", tool.server, number / tools.len());
        CatalogTool { server, ..tool.clone() }
    };
    let many: Vec<CatalogTool> = (0..MANY).map(again).collect();
    println!("| tools | index built | index | search p50 | p99 |\n|---|---|---|---|---|");
    for tools in [&tools, &many] {
        let began = Instant::now();
        let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
        let built = began.elapsed();
        // What is read once for all searches.
        let mut found = index.search("x", 5, |_| 0.0).len();
        let mut took: Vec<Duration> = Vec::new();
        for LabelledQuery { query } in &queries {
            let began = Instant::now();
            found += index.search(query, 5, |_| 0.0).len();
            took.push(began.elapsed());
        }
        assert!(found > 0, "nothing was found");
        took.sort_unstable();
        let (p50, p99) = (took[took.len() / 2], took[took.len() * 99 / 100]);
        let (count, bytes) = (tools.len(), index.about_bytes() / 1000);
        println!("| {count} | {built:.1?} | {bytes} kB | {p50:.0?} | {p99:.0?} |");
    }
}
