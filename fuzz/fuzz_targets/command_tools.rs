//! Any text read as a file of `[mcp.<tool>]` entries: problems, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_config::Shape;
use toolgate_config::tree::Format;

fuzz_target!(|text: &str| {
    let _ = toolgate_config::read_text(text, Format::Toml, Some(Shape::CommandTools), &Default::default());
});
