//! How fast the gate is and how much it takes, beside a raw pass-through and beside no gate at all;
//! and whether it stays right and small for long.
//!
//! `load bench|calls|wide|growth|soak --gate <program> [--beside <mcp-proxy>] [--tenth] [--records <count>]
//! [--reports <folder>]`; `cargo xtask bench`, `cargo xtask bench --growth` and `cargo xtask soak` build the
//! gate and run it so; `calls` and `wide` are the parts of `bench` about calls and about long lists, and a
//! word after `growth` is a part of that.
//! The other words are the roles that this program plays as processes of their own. Nothing passes or
//! fails by time. Linux only: it reads `/proc`.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

mod bench;
mod client;
mod gate;
mod growth;
mod load;
mod other_proxy;
mod pass;
mod process;
mod server;
mod soak;
mod window;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use self::server::{Era, Server};

type Failure = Box<dyn Error + Send + Sync>;

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// Only to see that it works.
    Tenth,
}

/// What a run is told.
struct Run {
    gate: PathBuf,
    /// Another proxy, which is measured in the same run.
    beside: Option<PathBuf>,
    extent: Extent,
    /// How many records there are at most, where that is said.
    records: Option<usize>,
    folder: tempfile::TempDir,
}

fn main() -> Result<(), Failure> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    // Cargo says so to every benchmark.
    words.retain(|word| word != "--bench");
    let before = words.len();
    words.retain(|word| word != "--tenth");
    let extent = if words.len() < before { Extent::Tenth } else { Extent::Whole };
    let gate = take(&mut words, "--gate").map(PathBuf::from);
    let beside = take(&mut words, "--beside").map(PathBuf::from);
    let records = take(&mut words, "--records").map(|count| count.parse()).transpose()?;
    let reports = take(&mut words, "--reports").map(PathBuf::from);
    let run = |gate: Option<PathBuf>| -> Result<Run, Failure> {
        let (gate, folder) = (gate.ok_or("which gate?")?, tempfile::tempdir()?);
        Ok(Run { gate, beside: beside.clone(), extent, records, folder })
    };
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["site", era, name] => server::site::run(Server::new(Era::parse(era)?, name)),
        ["site", era, name, count] => {
            server::site::run(Server::new(Era::parse(era)?, name).with_tools(count)?)
        }
        ["stdio", era, name, _] => server::process::run(&Server::new(Era::parse(era)?, name)),
        ["pass", behind] => pass::run(behind),
        ["load", plan] => load::run(plan),
        ["bench"] => {
            let (page, figures) = bench::run(&run(gate)?)?;
            println!("{page}");
            if let Some(reports) = reports {
                keep(&reports.join("gateway.md"), "figures", &page)?;
                let figures = serde_json::to_string_pretty(&figures)?;
                fs::write(reports.join("gateway.json"), format!("{figures}\n"))?;
            }
            Ok(())
        }
        ["calls"] => {
            println!("{}", bench::calls(&run(gate)?)?);
            Ok(())
        }
        ["wide"] => {
            println!("{}", bench::wide(&run(gate)?)?);
            Ok(())
        }
        ["growth"] => {
            let page = growth::run(&run(gate)?, None)?;
            println!("{page}");
            match reports {
                Some(reports) => keep(&reports.join("growth.md"), "figures", &page),
                None => Ok(()),
            }
        }
        ["growth", part] => {
            println!("{}", growth::run(&run(gate)?, Some(part))?);
            Ok(())
        }
        ["soak"] => {
            let page = soak::run(&run(gate)?)?;
            println!("{page}");
            match reports {
                Some(reports) => keep(&reports.join("gateway.md"), "soak", &page),
                None => Ok(()),
            }
        }
        // `cargo bench --workspace` runs every benchmark and names no gate.
        [] => {
            println!("load: run by `cargo xtask bench` and `cargo xtask soak`");
            Ok(())
        }
        _ => Err("unknown words".into()),
    }
}

/// Takes a word and what follows it.
fn take(words: &mut Vec<String>, word: &str) -> Option<String> {
    let at = words.iter().position(|other| other == word)?;
    words.drain(at..(at + 2).min(words.len())).nth(1)
}

/// Puts new text between the two marks of a page, whose other words are a person's.
fn keep(page: &Path, part: &str, text: &str) -> Result<(), Failure> {
    let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->\n"));
    let old = fs::read_to_string(page).unwrap_or_default();
    let within = old.split_once(&begin).and_then(|(before, rest)| {
        rest.split_once(&end).map(|(_, after)| (before.to_owned(), after.to_owned()))
    });
    let (before, after) = within.unwrap_or_else(|| (old, String::new()));
    Ok(fs::write(page, format!("{before}{begin}\n{text}\n{end}{after}"))?)
}
