//! Any name, input schema and arguments: what a client sends beside a call, a server accepts.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target feeds one of them")]
#[path = "../../crates/wire/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::headers(data));
