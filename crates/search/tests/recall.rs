//! What is found of the tools that `tests/search` labels: no less than was reached, in all and of each kind of
//! query; and how large an index is. How fast it is searched is for `cargo xtask bench`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use serde::Deserialize;
use toolgate_search::{CatalogTool, ToolIndex};

#[derive(Deserialize)]
struct LabelledQuery {
    kind: String,
    query: String,
    /// One for each thing that is needed; tools that do the same are joined by `|`.
    relevant: Vec<String>,
}

/// What is found among the first five and the first ten of one kind of queries, or of all that a file has. It
/// is a little below what was measured, so that a better word for one thing may cost another a query.
struct LeastRecall {
    file: &'static str,
    /// Nothing: all of them.
    kind: &'static str,
    among_five: f64,
    among_ten: f64,
}

const fn least(file: &'static str, kind: &'static str, five: f64, ten: f64) -> LeastRecall {
    LeastRecall { file, kind, among_five: five, among_ten: ten }
}

const LEAST: [LeastRecall; 10] = [
    least("queries.jsonl", "", 0.85, 0.90),
    least("queries.jsonl", "keywords", 0.95, 0.99),
    least("queries.jsonl", "sentences", 0.93, 0.96),
    least("queries.jsonl", "paraphrases", 0.72, 0.78),
    least("queries.jsonl", "typos", 0.90, 0.92),
    least("queries.jsonl", "steps", 0.77, 0.90),
    least("queries-dev.jsonl", "steps", 0.78, 0.91),
    least("queries-dev.jsonl", "paraphrases", 0.76, 0.84),
    least("queries-held-out.jsonl", "steps", 0.71, 0.84),
    least("queries-held-out.jsonl", "paraphrases", 0.66, 0.72),
];

/// The same of two sentences at once.
const OF_TWO_AMONG_FIVE: f64 = 0.76;
const OF_TWO_AMONG_TEN: f64 = 0.88;

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/search");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn queries(name: &str) -> Vec<LabelledQuery> {
    text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The catalogue, ready to be searched.
struct SearchedCatalog {
    names: Vec<String>,
    servers: usize,
    index: ToolIndex,
}

impl SearchedCatalog {
    fn read() -> Self {
        let tools = CatalogTool::read_all(&text("catalog.jsonl")).unwrap();
        let mut servers: Vec<&str> = tools.iter().map(|tool| tool.server.as_str()).collect();
        servers.dedup();
        Self {
            names: tools.iter().map(|tool| format!("{}/{}", tool.server, tool.name)).collect(),
            servers: servers.len(),
            index: ToolIndex::new(tools.iter().map(CatalogTool::searched)),
        }
    }

    /// The share of what is needed that is among the first five, and among the first ten.
    fn shares<'a>(
        &self,
        request: &str,
        needs: impl Iterator<Item = &'a String> + Clone,
    ) -> [f64; 2] {
        let found = self.index.search(request, 10, |_| 0.0);
        [5, 10].map(|most| {
            let first: Vec<&String> =
                found.iter().take(most).map(|one| &self.names[one.place]).collect();
            let is_met =
                |need: &&String| need.split('|').any(|tool| first.iter().any(|one| *one == tool));
            needs.clone().filter(is_met).count() as f64 / needs.clone().count() as f64
        })
    }
}

fn means(shares: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|slot| shares.iter().map(|one| one[slot]).sum::<f64>() / shares.len() as f64)
}

#[test]
fn the_labelled_tools_are_found_as_often_as_was_reached() {
    let catalog = SearchedCatalog::read();
    assert!(catalog.names.len() >= 500 && catalog.servers >= 40);
    assert!(queries("queries.jsonl").len() >= 150);
    let (mut reached, mut is_less) = (String::new(), false);
    for LeastRecall { file, kind, among_five, among_ten } in LEAST {
        let of_kind = queries(file).into_iter().filter(|one| kind.is_empty() || one.kind == kind);
        let of_kind: Vec<LabelledQuery> = of_kind.collect();
        let shares: Vec<[f64; 2]> =
            of_kind.iter().map(|one| catalog.shares(&one.query, one.relevant.iter())).collect();
        let [five, ten] = means(&shares);
        is_less |= !(five >= among_five && ten >= among_ten);
        reached.push_str(&format!("{file} {kind}: {five:.3}@5 {ten:.3}@10\n"));
    }
    assert!(!is_less, "{reached}");
}

#[test]
fn every_label_is_a_tool_of_the_catalogue() {
    let catalog = SearchedCatalog::read();
    for file in ["queries.jsonl", "queries-dev.jsonl", "queries-held-out.jsonl"] {
        for LabelledQuery { query, relevant, .. } in queries(file) {
            assert!(!relevant.is_empty(), "{query} has no label");
            for label in relevant.iter().flat_map(|need| need.split('|')) {
                assert!(catalog.names.iter().any(|name| name == label), "{query}: {label}");
            }
        }
    }
}

/// Two sentences as one request, each mostly for another server: what one of them finds does not hide the other.
#[test]
fn each_thing_that_a_request_is_for_is_found() {
    let catalog = SearchedCatalog::read();
    let mut sentences = queries("queries.jsonl");
    sentences.retain(|one| one.kind == "sentences");
    let shares = sentences.iter().enumerate().map(|(place, first)| {
        let second = &sentences[(place + 31) % sentences.len()];
        let request =
            format!("{}. Then: {}", first.query.trim_end_matches(['.', '?']), second.query);
        catalog.shares(&request, first.relevant.iter().chain(&second.relevant))
    });
    let [five, ten] = means(&shares.collect::<Vec<_>>());
    assert!(five >= OF_TWO_AMONG_FIVE && ten >= OF_TWO_AMONG_TEN, "{five:.3}@5 {ten:.3}@10");
}

#[test]
fn an_index_is_below_five_megabytes() {
    let bytes = SearchedCatalog::read().index.about_bytes();
    assert!((100_000..5_000_000).contains(&bytes), "{bytes}");
}
