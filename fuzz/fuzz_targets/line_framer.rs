//! Any stream of bytes as lines: the same lines wherever it is cut, none beyond the cap.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target feeds one of them")]
#[path = "../../crates/wire/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::line_framer(data));
