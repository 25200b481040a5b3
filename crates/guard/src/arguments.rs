//! What a command tool's path arguments may name: nothing outside the allowed folders.
//!
//! Paths are compared as they are written, with `.` and `..` worked out; no file system is looked at,
//! so symlinks are the sandbox's to stop. Which arguments are paths is not declared anywhere, so
//! whatever can be read as one is, and has to lie inside: a text with a slash in it, also behind a
//! `=` or in an option, and any text under a key that speaks of a file or folder.

mod folders;
mod walk;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::visible;

pub(crate) use folders::AllowedFolders;

use crate::list::NameList;

/// Why arguments are refused. Their values are not repeated: they may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentTrespass {
    /// A path outside the folders of this list.
    Outside { argument: String, list: Arc<NameList> },
    /// What cannot be read cannot be judged.
    Unreadable,
}

impl fmt::Display for ArgumentTrespass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { argument, list } => {
                write!(f, "the path in argument `{}` is not in {list}", visible(argument))
            }
            Self::Unreadable => f.write_str("the arguments cannot be read"),
        }
    }
}

/// Each path lies in a folder of every list.
pub(crate) fn check(
    arguments: Option<&RawValue>,
    cwd: &Path,
    lists: &[AllowedFolders],
) -> Result<(), ArgumentTrespass> {
    let Some(arguments) = arguments.filter(|_| !lists.is_empty()) else { return Ok(()) };
    let mut trespass = None;
    let mut look = |argument: &str, text: &str, is_named_path: bool| {
        let strays = |list: &&AllowedFolders| {
            paths_in(text, is_named_path).any(|path| !list.hold(cwd, path))
        };
        if let Some(list) = lists.iter().find(strays).filter(|_| trespass.is_none()) {
            let argument = argument.to_owned();
            trespass = Some(ArgumentTrespass::Outside { argument, list: list.list() });
        }
    };
    walk::strings(arguments, &mut look).map_err(|_| ArgumentTrespass::Unreadable)?;
    trespass.map_or(Ok(()), Err)
}

/// Everything in a text that a program could take for a path.
fn paths_in(text: &str, is_named_path: bool) -> impl Iterator<Item = &str> {
    let is_address = is_address(text);
    let whole = (is_named_path || has_shape(text)) && (!is_address || climbs(text));
    let behind = text
        .match_indices(|c: char| c.is_whitespace() || "=:,;@'\"()[]{}<>|&`".contains(c))
        .map(|(at, sign)| &text[at + sign.len()..]);
    // `-I/usr/include`: an option with its value in one word. Where the one ends and the other begins
    // cannot be told, so the value is taken from its first sign on.
    let in_option = text.strip_prefix('-').map(|option| {
        option.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    });
    let in_option = in_option.filter(|value| value.starts_with(['/', '.', '~']));
    let parts = behind.chain(in_option).filter(|part| has_shape(part));
    whole.then_some(text).into_iter().chain(parts.filter(move |_| !is_address))
}

fn has_shape(text: &str) -> bool {
    text.contains('/') || matches!(text, "." | "..") || text.starts_with('~')
}

fn climbs(text: &str) -> bool {
    text.split('/').any(|segment| segment == "..")
}

/// `https://…`: an address on the network, not in the file system.
fn is_address(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme && !scheme.eq_ignore_ascii_case("file")
}
