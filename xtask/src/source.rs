//! A Rust file as the checks see it: code without comments and literals, and those apart.
//!
//! A lexer and no parser: it knows what is code, comment and string, and which items are for tests
//! only. It expands no macro and resolves no name outside the file.

mod lexer;
mod paths;
mod test_items;

pub use lexer::{Comment, LexedSource, Literal};
pub use paths::{NamedPath, named};
pub use test_items::without_tests;

/// The crate folder of a file below `crates/`.
pub fn room(file: &str) -> Option<&str> {
    file.strip_prefix("crates/")?.split('/').next()
}

/// Whether the whole file is only compiled for tests, benchmarks or examples, judged by its path.
pub fn is_test(file: &str) -> bool {
    file.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches" | "examples"))
}

/// The words of the code with their line and what follows them.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    code.lines().enumerate().flat_map(|(index, line)| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let start = rest.find(is_word)?;
            let tail = &rest[start..];
            let (word, after) = tail.split_at(tail.find(|c| !is_word(c)).unwrap_or(tail.len()));
            rest = after;
            Some((index + 1, word, after.trim_start()))
        })
    })
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
