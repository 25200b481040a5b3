//! `cargo run -p toolgate-search --example measure -- CATALOG QUERIES [--misses]`: how many of the tools that
//! a query is labelled with are among the first five and ten, for every other query and for the rest.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "it prints a measurement")]

use std::time::Instant;

use serde::Deserialize;
use toolgate_search::{CatalogTool, ToolIndex};

/// The kinds of queries, each from this line on.
const KINDS: [(&str, usize); 5] =
    [("keywords", 0), ("sentences", 46), ("paraphrases", 140), ("typos", 250), ("steps", 260)];

#[derive(Deserialize)]
struct LabelledQuery {
    query: String,
    relevant: Vec<String>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let read = |path: &String| std::fs::read_to_string(path).unwrap();
    let tools = CatalogTool::read_all(&read(&args[0])).unwrap();
    let queries: Vec<LabelledQuery> =
        read(&args[1]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shows_misses = args.get(2).is_some_and(|flag| flag == "--misses");
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let shows_segments = args.get(2).is_some_and(|flag| flag == "--segments");
    let mut segments: Vec<Vec<f64>> = Vec::new();
    let mut sums = [[0.0; 2]; 2];
    let mut took = Vec::new();
    for (number, LabelledQuery { query, relevant }) in queries.iter().enumerate() {
        let began = Instant::now();
        let found = index.search(query, 10, |_| 0.0);
        took.push(began.elapsed());
        let names: Vec<String> = found
            .iter()
            .map(|one| format!("{}/{}", tools[one.place].server, tools[one.place].name))
            .collect();
        for (slot, most) in [5, 10].into_iter().enumerate() {
            let hits = relevant.iter().filter(|tool| names.iter().take(most).any(|n| n == *tool));
            let share = hits.count() as f64 / relevant.len() as f64;
            sums[number % 2][slot] += share;
            if slot == 0 {
                let kind = KINDS.iter().filter(|(_, from)| *from <= number).count() - 1;
                segments.resize_with(2 * KINDS.len(), Vec::new);
                segments[2 * kind + number % 2].push(share);
            }
        }
        let first = &names[..names.len().min(5)];
        let missed: Vec<_> = relevant.iter().filter(|tool| !first.contains(tool)).collect();
        if shows_misses && number % 2 == 0 && !missed.is_empty() {
            println!("{query}\n   missed {missed:?}\n   found  {first:?}");
        }
    }
    took.sort();
    if shows_segments {
        for (place, (kind, _)) in KINDS.iter().enumerate() {
            let mean = |hits: &[f64]| hits.iter().sum::<f64>() / hits.len() as f64;
            let [even, odd] = [0, 1].map(|half| mean(&segments[2 * place + half]));
            println!("{kind}: {even:.3} {odd:.3} @5");
        }
    }
    for (half, name) in [(0, "every other"), (1, "the rest")] {
        let count = queries.iter().skip(half).step_by(2).count() as f64;
        let [five, ten] = sums[half];
        println!("{name}: {:.3} @5, {:.3} @10, {count} queries", five / count, ten / count);
    }
    println!("p50 {:?}, most {:?}", took[took.len() / 2], took[took.len() - 1]);
}
