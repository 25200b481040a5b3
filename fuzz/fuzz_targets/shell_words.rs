//! Any text as a script of a shell: read within bounds, and every word of it is found.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/config/tests/it/fuzzed.rs"]
mod fuzzed;

fuzz_target!(|data: &[u8]| fuzzed::shell_words(data));
