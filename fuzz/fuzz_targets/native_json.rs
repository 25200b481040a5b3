//! Any text read as a native JSON file: problems, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_config::ConfigShape;
use toolgate_config::tree::ConfigFormat;

fuzz_target!(|text: &str| {
    let _ = toolgate_config::read_text(text, ConfigFormat::Json, Some(ConfigShape::Native), &Default::default());
});
