//! Queries over JSON in the language of jq, in a process of their own.
//!
//! A query can loop for ever and use any amount of memory, and nothing within a process can stop that:
//! so this program is started once more for each, bounds itself, answers and ends. A query sees the
//! document it is given and nothing else: no variables, no files, no other input.

mod jq_language;
mod jq_regex;

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read, Write};

use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use jq_language::evaluate;

/// The only argument of a process that answers a query.
const ARGUMENT: &str = "--answer-json-query";

/// What the process may use, however large the document is.
const MEMORY: u64 = 1 << 30;
const CPU_SECONDS: u64 = 5;

/// What is asked, in one line before the document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct QueryRequest {
    pub(crate) filter: String,
    pub(crate) most_values: usize,
    pub(crate) most_bytes: usize,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueryAnswer {
    Values { values: Vec<Box<RawValue>>, more: bool },
    Failed(String),
}

/// How this program is started to answer a query.
pub fn query_arguments() -> [&'static str; 1] {
    [ARGUMENT]
}

/// Answers a query and ends, where this program was started for that. To be called first in `main`.
pub fn answer_query_if_asked<W: Write>(
    mut arguments: impl Iterator<Item = OsString>,
    input: impl Read,
    output: impl FnOnce() -> io::Result<W>,
) {
    let is_asked = arguments.nth(1).is_some_and(|first| first == ARGUMENT);
    if is_asked && arguments.next().is_none() {
        let answered = output().and_then(|output| {
            bound_myself()?;
            answer(input, output)
        });
        std::process::exit(i32::from(answered.is_err()));
    }
}

fn bound_myself() -> io::Result<()> {
    let limits = [
        (Resource::RLIMIT_AS, MEMORY),
        (Resource::RLIMIT_CPU, CPU_SECONDS),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
    ];
    for (what, most) in limits {
        setrlimit(what, most, most)?;
    }
    Ok(())
}

fn answer(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let request: QueryRequest = serde_json::from_str(&line)?;
    let mut document = Vec::new();
    input.read_to_end(&mut document)?;
    let answer = match evaluate(&request, &document) {
        Ok((values, more)) => QueryAnswer::Values { values, more },
        Err(why) => QueryAnswer::Failed(why),
    };
    output.write_all(serde_json::to_string(&answer)?.as_bytes())?;
    output.flush()
}
