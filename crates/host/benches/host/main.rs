//! How fast the host is: ten thousand tools listed and named, a call beside a bare HTTP call, and a
//! good server beside bad ones.
//!
//! `cargo bench -p toolgate-host [-- tools|calls|neighbours] [--tenth] [--report <file>]`, where the
//! report is the page on neighbours. Nothing passes or fails by time.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

mod calls;
mod neighbours;
mod serving;
mod tools;
mod world;

use std::error::Error;
use std::path::PathBuf;

type Failure = Box<dyn Error + Send + Sync>;

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// Only to see that the benchmark works.
    Tenth,
}

fn main() -> Result<(), Failure> {
    // This program is also what watches over the local servers that it starts, and those servers.
    toolgate_sandbox::init();
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == serving::process::WORD) {
        return serving::process::play(&words[1..]);
    }
    // Cargo says so to every benchmark.
    words.retain(|word| word != "--bench");
    let extent = match take(&mut words, "--tenth") {
        true => Extent::Tenth,
        false => Extent::Whole,
    };
    let report = match words.iter().position(|word| word == "--report") {
        Some(at) => words.drain(at..).nth(1).map(PathBuf::from),
        None => None,
    };
    let wants = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if wants("tools") {
        tools::run(extent)?;
    }
    if wants("calls") {
        println!("{}", calls::run(extent)?);
    }
    if wants("neighbours") {
        let (page, is_kept) = neighbours::run(extent)?;
        println!("{page}");
        if let Some(report) = report {
            std::fs::write(report, page)?;
        }
        if !is_kept {
            return Err("the crashing server was started too often".into());
        }
    }
    Ok(())
}

fn take(words: &mut Vec<String>, word: &str) -> bool {
    let before = words.len();
    words.retain(|other| other != word);
    words.len() < before
}
