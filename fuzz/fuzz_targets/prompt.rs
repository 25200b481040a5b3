//! Any JSON as the arguments of a call that a person is asked about: all of it is in the prompt, or
//! covered and counted, and never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../crates/guard/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::prompt(data));
