//! `cargo bench -p toolgate-servers --bench file_search`: a search over 50 000 files, beside `rg` with the
//! same pattern over the same files, in turns.
//!
//! `rg` is taken from `$RG`, else from the search path; without one nothing is compared, and that is said.
//! `--tenth` is over fewer files.
//! Nothing passes or fails by time: the ratio is printed.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a program for the terminal"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolgate_servers::{PrivatePlaces, RepoServer, Search};

const FILES: usize = 50_000;
const FILES_IN_A_FOLDER: usize = 50;
const LINES: usize = 40;
const ROUNDS: usize = 15;

/// Found in a few files, in none, and without an anchor that a plain search could use.
const PATTERNS: [&str; 3] =
    ["needle_[0-9]+_here", "no such words anywhere", r"\bfn [a-z]+_\d+_here\("];

fn main() {
    let folder = tempfile::TempDir::new().unwrap();
    // Only to see that it works.
    let is_short = std::env::args().any(|word| word == "--tenth" || word == "--test");
    let (files, rounds) = if is_short { (500, 2) } else { (FILES, ROUNDS) };
    make(folder.path(), files);
    let rg = std::env::var_os("RG").unwrap_or_else(|| "rg".into());
    let has_rg = Command::new(&rg).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_rg {
        eprintln!("NO `rg`: nothing is compared. Install ripgrep, or say where it is in $RG.");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let server = RepoServer::new(root.clone(), PrivatePlaces::default());
    println!("search over {files} files, medians of {rounds} rounds");
    for pattern in PATTERNS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut counts = (0, 0);
        for _ in 0..rounds {
            let search =
                Search { pattern: pattern.to_owned(), limit: Some(1000), ..Search::default() };
            let start = Instant::now();
            let found = runtime.block_on(server.call(search)).unwrap();
            ours.push(start.elapsed());
            counts.0 = found.matches;
            if has_rg {
                let start = Instant::now();
                let output =
                    Command::new(&rg).args(["-n", "-e", pattern, "."]).current_dir(&root).output();
                theirs.push(start.elapsed());
                let output = output.unwrap().stdout;
                counts.1 = output.iter().filter(|byte| **byte == b'\n').count();
            }
        }
        let own = median(&mut ours);
        if has_rg {
            assert_eq!(counts.0, counts.1, "both find the same");
            let other = median(&mut theirs);
            let ratio = own.as_secs_f64() / other.as_secs_f64();
            println!(
                "{pattern:?}: {own:?} beside {other:?} of rg, {ratio:.2} ({} lines)",
                counts.0
            );
        } else {
            println!("{pattern:?}: {own:?} ({} lines)", counts.0);
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Source files of some two thousand bytes, in folders of folders, with a few `.gitignore`s.
fn make(root: &Path, files: usize) {
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".gitignore"), "target/\n*.o\n*.log\n").unwrap();
    for index in 0..files {
        let place = index / FILES_IN_A_FOLDER;
        let folder = root.join(format!("part{}/module{place}/src", place / 25));
        if index % FILES_IN_A_FOLDER == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        let mut text = String::new();
        for line in 0..LINES {
            writeln!(
                text,
                "    let value_{line} = compute({index}, {line}) + other_{line}; // words"
            )
            .unwrap();
        }
        if index % 1000 == 7 {
            writeln!(text, "fn needle_{index}_here() {{}}").unwrap();
        }
        fs::write(folder.join(format!("file{index}.rs")), text).unwrap();
    }
}
