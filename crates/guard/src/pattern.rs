//! Patterns over names, compiled once: how `server:glob` is read, and sets that match fast.

mod floating;
mod glob;
mod names;
mod set;

pub(crate) use glob::glob_matches;
pub(crate) use set::{PatternSet, Reading, Spelled};

#[cfg(test)]
mod tests;
