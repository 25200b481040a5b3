//! Any bytes as a message or a batch: refused or passed on unchanged, and never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target feeds one of them")]
#[path = "../../crates/wire/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::envelope(data));
