//! `cargo xtask <verb>`: `tidy` checks the repository, `docs` rewrites its generated
//! pages, `bench` times the command line.
//!
//! It only reads the verb and prints; what the verbs do is in the library.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::bench::BenchExtent;
use xtask::dist::DistBuild;
use xtask::full::{self, FULL_STEPS};
use xtask::{Repository, bench, dist, docs, figures, repository, soak, tidy};

const USAGE: &str = "usage: cargo xtask <verb>

  tidy   check the repository against its own rules; exit 1 if any is broken
  docs   rewrite the generated pages under docs/
  dist   build the program as it is published, and say where it is
  bench  time the command line and write the report; `bench --tenth` runs a tenth and writes none;
         `bench --growth` measures how the gate grows with tools, servers, sessions, results and records
  soak   kill a program with ten servers up, 20 times, and look for what it left; `soak --tenth`
         does so three times and writes no report
  full   `bench` and `soak`, one after the other, with the seconds of each; exit 2 if one failed
  figures  count lines, names and circles of modules, and write docs/reports/house.md";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if dist::is_compiler() {
        return dist::compile(&arguments);
    }
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => check(&Repository::open(&repository::root()?)?),
        ["docs"] => write(&Repository::open(&repository::root()?)?),
        ["dist"] => {
            println!("{}", dist::build(&repository::root()?, DistBuild::Published)?.display());
            Ok(ExitCode::SUCCESS)
        }
        ["dist", "--counting", folder] => {
            let counting = DistBuild::Counting(folder.into());
            println!("{}", dist::build(&repository::root()?, counting)?.display());
            Ok(ExitCode::SUCCESS)
        }
        ["bench"] => {
            println!("{}", full::WHOLE_BENCH.run_and_keep(&repository::root()?)?);
            Ok(ExitCode::SUCCESS)
        }
        ["bench", "--tenth"] => {
            println!("{}", bench::run(&repository::root()?, BenchExtent::Tenth)?);
            Ok(ExitCode::SUCCESS)
        }
        ["bench", "--growth"] => {
            bench::grow(&repository::root()?, BenchExtent::Whole)?;
            Ok(ExitCode::SUCCESS)
        }
        ["bench", "--growth", "--tenth"] => {
            bench::grow(&repository::root()?, BenchExtent::Tenth)?;
            Ok(ExitCode::SUCCESS)
        }
        ["soak"] => {
            println!("{}", full::WHOLE_SOAK.run_and_keep(&repository::root()?)?);
            Ok(ExitCode::SUCCESS)
        }
        ["soak", "--tenth"] => {
            println!("{}", soak::run(&repository::root()?, 3)?);
            Ok(ExitCode::SUCCESS)
        }
        ["full"] => {
            full::run(&repository::root()?, &FULL_STEPS, |line| println!("{line}"))?;
            Ok(ExitCode::SUCCESS)
        }
        ["figures"] => {
            let root = repository::root()?;
            let report = figures::report(&Repository::open(&root)?)?;
            std::fs::write(root.join("docs/reports/house.md"), &report)?;
            println!("{report}");
            Ok(ExitCode::SUCCESS)
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("unknown arguments: {}\n{USAGE}", arguments.join(" ")),
    }
}

fn check(repository: &Repository) -> Result<ExitCode> {
    let mut count = 0;
    for check in tidy::CHECKS {
        for finding in (check.run)(repository)? {
            println!("{finding} [{}]", check.name);
            count += 1;
        }
    }
    if count > 0 {
        println!("tidy: {count} findings");
        return Ok(ExitCode::FAILURE);
    }
    println!("tidy: {} checks, nothing found", tidy::CHECKS.len());
    Ok(ExitCode::SUCCESS)
}

fn write(repository: &Repository) -> Result<ExitCode> {
    for page in docs::pages(repository)? {
        let state = if page.write(repository)? { "written" } else { "already current" };
        println!("{}: {state}", page.file);
    }
    Ok(ExitCode::SUCCESS)
}
