//! JSON as text: checked in one pass, never turned into a tree.
//!
//! The scanner holds what the wire promises of every payload: well-formed, no key twice in an
//! object, bounded nesting. Meaning is for the modules above; numbers and strings keep their
//! spelling.

mod fault;
mod keys;
mod number;
mod raw;
mod scan;
mod strings;

pub use fault::JsonError;
pub(crate) use fault::{ExpectedToken, ScanFault};
pub(crate) use number::ExactDecimal;
pub(crate) use scan::JsonScanner;
pub(crate) use strings::{RawStr, write_string};

#[cfg(test)]
mod tests;
