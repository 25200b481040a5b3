//! Only `cli`, by way of `terminal`, prints, reads the environment and knows `$HOME`; every other crate is
//! told.
//!
//! Tests and `xtask` are exempt. Log lines through a facade are no printing.

use anyhow::Result;

use super::{over, shipped_code};
use crate::source::{NamedPath, named, room};
use crate::{Finding, Repository};

const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

const PATHS: [&str; 8] = [
    "std::env::var",
    "std::env::var_os",
    "std::env::vars",
    "std::env::vars_os",
    "std::env::home_dir",
    "std::env::*",
    "std::io::stdout",
    "std::io::stderr",
];

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    over(repository, repository.rust_files(), check_text)
}

pub fn check_text(file: &str, text: &str) -> Vec<Finding> {
    if room(file).is_none_or(|room| room == "cli" || room == "terminal") {
        return Vec::new();
    }
    named(&shipped_code(file, text))
        .into_iter()
        .filter(is_terminal_or_environment)
        .map(|name| {
            let message = format!(
                "`{}` outside crates/cli and crates/terminal: take it as a parameter",
                name.full
            );
            Finding::new(file, name.line, message)
        })
        .collect()
}

fn is_terminal_or_environment(name: &NamedPath) -> bool {
    let last = name.full.rsplit("::").next().unwrap_or_default();
    let prints = name.is_macro && MACROS.contains(&last);
    prints || last == "home_dir" || PATHS.iter().any(|path| name.is_below(path))
}
