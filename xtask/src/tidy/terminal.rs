//! Only the crate `terminal` writes to one, and nothing gets past it: it makes every text printable. No
//! file of `cli` prints, takes a standard stream, opens the terminal by its name, or lets a library do
//! it, but for the help, which is our own words in clap's colours.
//!
//! Asking whether a stream is a terminal writes nothing and is fine, and so are tests.

use anyhow::Result;

use super::{over, shipped_code};
use crate::source::{LexedSource, Literal, NamedPath, named, words};
use crate::{Finding, Repository};

const HOME: &str = "crates/cli/src/";

const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// What writes, or hands out something to write to.
const PATHS: [&str; 9] = [
    "std::io::stdout",
    "std::io::stderr",
    "std::io::*",
    "tokio::io::stdout",
    "tokio::io::stderr",
    "tokio::io::*",
    "indicatif",
    "console",
    "anstream",
];

/// The last part of a path that makes a file of a number, whoever's it is.
const ENDS: [&str; 2] = ["from_raw_fd", "FromRawFd"];

/// Clap's own way to print and leave.
const CLAP: [&str; 4] =
    ["Arguments::parse", "Arguments::parse_from", "Error::exit", "Error::print"];

/// The standard streams and the terminal by their names.
const FILES: [&str; 5] = ["/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    let Some(inside) = file.strip_prefix(HOME) else { return Vec::new() };
    if inside == "wrong_arguments.rs" {
        return Vec::new();
    }
    let code = shipped_code(file, text);
    if code.is_empty() {
        return Vec::new();
    }
    let finding = |line: usize, what: &str| {
        let message = format!("`{what}` past crates/terminal: print through `CommandOutput`");
        Finding::new(file, line, message)
    };
    let shipped: Vec<&str> = code.lines().collect();
    let names = named(&code).into_iter().filter(writes);
    let names = names.filter(|name| !only_asks(shipped.get(name.line - 1).unwrap_or(&"")));
    let mut findings: Vec<Finding> = names.map(|name| finding(name.line, &name.full)).collect();
    let source = LexedSource::new(text);
    let whole: Vec<&str> = source.code.lines().collect();
    for Literal { line, text } in &source.literals {
        // A text stands where the code before it stands; what is for tests is gone from there.
        let has_code = |line: &usize| !whole[*line].trim().is_empty();
        let code_before = (0..*line).rev().find(has_code).unwrap_or_default();
        let is_shipped = shipped.get(code_before).is_some_and(|code| !code.trim().is_empty());
        if is_shipped && FILES.iter().any(|path| text.contains(path)) {
            findings.push(finding(*line, text));
        }
    }
    findings
}

/// Whether a line only finds out whether a standard stream is a terminal.
fn only_asks(line: &str) -> bool {
    let mut streams = words(line).filter(|(_, word, _)| matches!(*word, "stdout" | "stderr"));
    let mut any = false;
    let all = streams.all(|(_, _, after)| {
        any = true;
        after.starts_with("().is_terminal()")
    });
    any && all
}

fn writes(name: &NamedPath) -> bool {
    let last = name.full.rsplit("::").next().unwrap_or_default();
    let prints = name.is_macro && MACROS.contains(&last);
    let by_clap = CLAP.iter().any(|path| {
        let before = name.full.strip_suffix(path);
        before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
    });
    prints || by_clap || ENDS.contains(&last) || PATHS.iter().any(|path| name.is_below(path))
}
