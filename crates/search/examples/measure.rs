//! `cargo run -p toolgate-search --example measure -- CATALOG QUERIES [--misses]`: how many of the tools that
//! a query is labelled with are among the first five and ten, by kind of query, for every other query (even)
//! and for the rest (odd). Misses are shown of the even ones, or with `--all-misses` of all.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints a measurement")]

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Deserialize;
use toolgate_search::{CatalogTool, ToolIndex};

#[derive(Deserialize)]
struct LabelledQuery {
    kind: String,
    query: String,
    /// One for each thing that is needed; tools that do the same are joined by `|`.
    relevant: Vec<String>,
}

/// Shares of some queries, among the first five and the first ten.
#[derive(Default)]
struct Reached(Vec<[f64; 2]>);

impl std::fmt::Display for Reached {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mean = |slot| self.0.iter().map(|one| one[slot]).sum::<f64>() / self.0.len() as f64;
        write!(out, "{:.3} @5 {:.3} @10 ({})", mean(0), mean(1), self.0.len())
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let read = |path: &String| std::fs::read_to_string(path).unwrap();
    let tools = CatalogTool::read_all(&read(&args[0])).unwrap();
    let queries: Vec<LabelledQuery> =
        read(&args[1]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has_flag = |flag: &str| args.iter().any(|arg| arg == flag);
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let mut reached: BTreeMap<(String, &str), Reached> = BTreeMap::new();
    let mut took = Vec::new();
    for (number, LabelledQuery { kind, query, relevant }) in queries.iter().enumerate() {
        let began = Instant::now();
        let found = index.search(query, 10, |_| 0.0);
        took.push(began.elapsed());
        let names: Vec<String> = found
            .iter()
            .map(|one| format!("{}/{}", tools[one.place].server, tools[one.place].name))
            .collect();
        let is_met = |need: &&String, most: usize| {
            need.split('|').any(|tool| names.iter().take(most).any(|name| name == tool))
        };
        let share = |most| {
            relevant.iter().filter(|need| is_met(need, most)).count() as f64 / relevant.len() as f64
        };
        let half = if number % 2 == 0 { "even" } else { "odd" };
        for (kind, half) in
            [(kind.as_str(), half), (kind, "both"), ("~all", half), ("~all", "both")]
        {
            reached.entry((kind.to_owned(), half)).or_default().0.push([share(5), share(10)]);
        }
        let missed: Vec<_> = relevant.iter().filter(|need| !is_met(need, 5)).collect();
        let shows = has_flag("--all-misses") || has_flag("--misses") && half == "even";
        if shows && !missed.is_empty() {
            println!("{query}\n   missed {missed:?}\n   found  {names:?}");
        }
    }
    for ((kind, half), reached) in reached {
        println!("{kind:12} {half:5} {reached}");
    }
    took.sort();
    println!("p50 {:?}, most {:?}", took[took.len() / 2], took[took.len() - 1]);
}
