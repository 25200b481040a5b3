//! A new rule without a sample does not go unnoticed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::samples;

/// Rules that no file can show by itself, and the module that shows them.
const SHOWN_ELSEWHERE: [(&str, &str); 7] = [
    ("missing-file", "discovery/named"),
    ("unreadable", "bad_input"),
    ("too-large", "bad_input"),
    ("bad-lock", "bad_input"),
    ("unreadable-secrets", "secrets"),
    ("not-yet", "not_yet"),
    ("yaml-syntax", "clients/continue_dev"),
];

/// Rules of one word. Every other rule has a hyphen, which is how they are found in the sources.
const ONE_WORD: [&str; 3] = ["duration", "pattern", "unreadable"];

/// Words with a hyphen that are no rules.
const NO_RULES: [&str; 1] = ["command-tools"];

#[test]
fn every_rule_in_the_sources_has_a_sample() {
    let all: BTreeSet<String> = ["invalid", "lint"]
        .into_iter()
        .flat_map(samples)
        .map(|sample| sample.rule)
        .chain(SHOWN_ELSEWHERE.map(|(rule, _)| rule.to_owned()))
        .collect();
    let mut rules: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut text);
    for literal in text.split('"') {
        let in_words = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let hyphenated = literal.chars().all(in_words) && literal.trim_matches('-').contains('-');
        if (hyphenated && !NO_RULES.contains(&literal)) || ONE_WORD.contains(&literal) {
            rules.insert(literal.to_owned());
        }
    }
    assert_eq!(rules, all, "left: rules in the sources; right: rules that have a sample");
    for (rule, module) in SHOWN_ELSEWHERE {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/{module}.rs"));
        assert!(fs::read_to_string(path).unwrap().contains(&format!("\"{rule}\"")), "{rule}");
    }
}

/// The text of every source file that reads configurations; not the tests, not what edits them, not
/// what looks at commands.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if ["edit", "change", "clients", "fingerprint", "shell", "tests"].contains(&stem) {
            continue;
        }
        if path.is_dir() {
            sources(&path, text);
        } else {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}
