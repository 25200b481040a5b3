//! What the fuzz targets found worth keeping, replayed: problems, never a panic.

use std::path::PathBuf;

use proptest::prelude::*;
use toolgate_config::tree::ConfigFormat;
use toolgate_config::{ConfigShape, read_text};

use crate::fuzzed;

/// The name of each target under `fuzz/` and what it reads.
const TARGETS: [(&str, ConfigFormat, ConfigShape); 6] = [
    ("native_toml", ConfigFormat::Toml, ConfigShape::Native),
    ("native_json", ConfigFormat::Json, ConfigShape::Native),
    ("toolloop", ConfigFormat::Json, ConfigShape::ToolLoop),
    ("codelia", ConfigFormat::Json, ConfigShape::Codelia),
    ("command_tools", ConfigFormat::Toml, ConfigShape::CommandTools),
    ("codex", ConfigFormat::Toml, ConfigShape::Codex),
];

fn fuzz() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

#[test]
fn every_kept_input_of_every_reader_is_read_without_a_panic() {
    for (target, format, shape) in TARGETS {
        let mut replayed = 0;
        for file in std::fs::read_dir(fuzz().join("corpus").join(target)).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            if let Ok(text) = std::str::from_utf8(&bytes) {
                let _ = read_text(text, format, Some(shape), &Default::default());
                replayed += 1;
            }
        }
        assert!(replayed >= 10, "{target}: only {replayed} inputs");
    }
}

#[test]
fn every_kept_script_is_read_whole_and_all_its_words_are_found() {
    assert!(fuzz().join("fuzz_targets/shell_words.rs").exists());
    let mut replayed = 0;
    for file in std::fs::read_dir(fuzz().join("corpus/shell_words")).unwrap() {
        fuzzed::shell_words(&std::fs::read(file.unwrap().path()).unwrap());
        replayed += 1;
    }
    assert!(replayed >= 10, "only {replayed} inputs");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// As the fuzz target does, where there is none: mostly of what a shell minds.
    #[test]
    fn every_script_is_read_whole_and_all_its_words_are_found(
        text in r#"([a-c./ \n]|[-@#~*?\[\]{}'"`$()\\<>|&;=!]|[^a]){0,40}"#,
    ) {
        fuzzed::shell_words(text.as_bytes());
    }
}

#[test]
fn every_target_that_reads_configuration_is_replayed_here() {
    let mut targets: Vec<String> = std::fs::read_dir(fuzz().join("fuzz_targets"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| std::fs::read_to_string(path).unwrap().contains("toolgate_config"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    targets.sort();
    let mut known: Vec<&str> = TARGETS.iter().map(|(name, ..)| *name).collect();
    known.sort_unstable();
    assert_eq!(targets, known);
}
