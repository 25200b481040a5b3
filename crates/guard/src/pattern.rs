//! Patterns over names, compiled once: how `server:glob` is read, and sets that match fast.

mod floating_globs;
mod glob;
mod names;
mod set;

pub(crate) use glob::glob_matches;
pub(crate) use set::{PatternSet, PatternSpelling, PrefixReading};

#[cfg(test)]
mod tests;
