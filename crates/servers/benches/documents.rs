//! How long the documentation server takes: its index of 5 000 pages, and a question.
//!
//! `cargo bench -p toolgate-servers`; with `--tenth` a tenth of it, to see that it works. What is asked for
//! is that the index takes less than 5 s and a question, in the middle, less than 5 ms.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints what it measures")]

use std::fs;
use std::time::{Duration, Instant};

use toolgate_servers::{DocsServer, PrivatePlaces, SearchDocs};

const PAGES: usize = 5_000;
const QUESTIONS: usize = 200;

const WORDS: [&str; 24] = [
    "server",
    "configuration",
    "token",
    "folder",
    "approval",
    "policy",
    "sandbox",
    "record",
    "artifact",
    "index",
    "session",
    "window",
    "client",
    "gateway",
    "daemon",
    "secret",
    "network",
    "process",
    "schema",
    "result",
    "workspace",
    "plan",
    "prompt",
    "resource",
];

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn sentence(&mut self) -> String {
        let words = (0..12).map(|_| match self.next(4) {
            0 => format!("word{}", self.next(20_000)),
            _ => WORDS[self.next(WORDS.len())].to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn main() {
    let is_tenth = std::env::args().any(|argument| argument == "--tenth");
    let pages = if is_tenth { PAGES / 10 } else { PAGES };
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(1);
    let mut bytes = 0;
    for page in 0..pages {
        let place = folder.path().join(format!("part{:03}", page / 50));
        fs::create_dir_all(&place).unwrap();
        let mut text = format!("# Page {page}\n");
        for section in 0..6 {
            text.push_str(&format!("\n## {} {section}\n\n", numbers.sentence()));
            for _ in 0..8 {
                text.push_str(&numbers.sentence());
                text.push_str(".\n");
            }
        }
        bytes += text.len();
        fs::write(place.join(format!("{page}.md")), text).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let docs = DocsServer::new(folder.path().to_owned(), PrivatePlaces::default());
        let began = Instant::now();
        let first = docs.call(question("configuration of a server")).await.unwrap();
        let index = began.elapsed();
        assert_eq!(first.pages, pages);
        let mut times: Vec<Duration> = Vec::new();
        for _ in 0..QUESTIONS {
            let asked = question(&format!("{} word{}", numbers.sentence(), numbers.next(20_000)));
            let began = Instant::now();
            docs.call(asked).await.unwrap();
            times.push(began.elapsed());
        }
        times.sort_unstable();
        println!(
            "docs: {pages} pages, {} KiB: index {:.2} s, question p50 {:.2} ms, p99 {:.2} ms",
            bytes / 1024,
            index.as_secs_f64(),
            times[QUESTIONS / 2].as_secs_f64() * 1000.0,
            times[QUESTIONS * 99 / 100].as_secs_f64() * 1000.0,
        );
    });
}

fn question(query: &str) -> SearchDocs {
    SearchDocs { query: query.to_owned(), limit: None }
}
