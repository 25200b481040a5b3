//! Any stream of bytes as server-sent events: the same events wherever it is cut.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target feeds one of them")]
#[path = "../../crates/wire/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::sse_decoder(data));
