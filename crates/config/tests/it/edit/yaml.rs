//! YAML, where other clients have it: one item of a list, and every other byte as it was.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_config::edit::{EditError, TextEditor};
use toolgate_config::tree::ConfigFormat;

const PATH: [&str; 2] = ["mcpServers", "gate"];

fn entry() -> Value {
    json!({ "name": "gate", "command": "/bin/x", "args": ["a", "b c"], "o": { "h": { "A-B": "v" } } })
}

fn set(text: &str) -> Result<String, EditError> {
    let mut editor = TextEditor::open(ConfigFormat::Yaml, text)?;
    editor.set(&PATH, &entry())?;
    Ok(editor.finish())
}

fn removed(text: &str) -> String {
    let mut editor = TextEditor::open(ConfigFormat::Yaml, text).unwrap();
    assert!(editor.remove(&PATH).unwrap());
    editor.finish()
}

#[test]
fn an_item_comes_and_goes_and_nothing_else_changes() {
    for before in [
        "name: M\nmcpServers:\n  - name: a\n    command: x\n",
        "name: M\nmcpServers:\n- name: a # mine\n  env: {K: v}\n\n# the end\nmodels: []\n",
        "---\nname: M\r\nmcpServers:\r\n  - command: x\r\n    name: a\r\n",
        "name: M\nmcpServers:\n  - name: a\n    args:\n      - |\n        text\n\n        more\nz: 1\n",
        "mcpServers:\n  - uses: some/block\n    with:\n      K: ''",
    ] {
        let with = set(before).unwrap_or_else(|error| panic!("{before:?}: {error}"));
        assert_ne!(with, before);
        let back = removed(&with);
        assert_eq!(back.trim_end(), before.trim_end(), "{with}");
        assert_eq!(set(&with).unwrap(), with, "the same again changes nothing");
    }
}

#[test]
fn a_list_that_is_not_there_yet_is_begun() {
    for (before, expected) in [
        ("", "name: toolgate\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: gate\n"),
        ("# mine\n", "# mine\nname: toolgate\n"),
        ("name: M", "name: M\nmcpServers:\n  - name: gate\n    command: \"/bin/x\"\n"),
        ("mcpServers:\nz: 1\n", "mcpServers:\n  - name: gate\n"),
        ("mcpServers: []\nz: 1\n", "mcpServers:\n  - name: gate\n"),
    ] {
        let with = set(before).unwrap_or_else(|error| panic!("{before:?}: {error}"));
        assert!(with.starts_with(expected), "{with}");
        assert!(
            with.contains("    args: [\"a\", \"b c\"]\n    o:\n      h:\n        A-B: \"v\""),
            "{with}"
        );
        assert!(!removed(&with).contains("- name: gate"));
    }
}

#[test]
fn what_has_no_lines_of_its_own_is_left_alone() {
    for text in [
        "mcpServers: [{ name: a, command: x }]\n",
        "mcpServers:\n  -\n    name: a\n",
        "mcpServers: text\n",
        "name: M\n...\n",
    ] {
        assert!(set(text).is_err(), "{text:?}");
    }
    for text in ["a: *b\n", "a: [\n", "a: 1\na: 2\n", "a: 1\n---\nb: 2\n", "\t- x\n: :\n"] {
        assert!(set(text).is_err(), "{text:?}");
    }
    let deep = format!("a: {}", "[".repeat(100_000));
    assert!(set(&deep).is_err());
}

const PIECES: [&str; 22] = [
    "mcpServers:",
    "mcpServers: []",
    "- name: a",
    "- name: gate",
    "  ",
    "    ",
    "\n",
    "\n",
    "\r\n",
    "- ",
    "command: x",
    "name: M",
    ": ",
    "|",
    "é",
    "# note",
    "{a: b}",
    "[1, 2]",
    "\"q\"",
    "'",
    "---",
    "? ",
];

proptest! {
    /// Whatever the text is: no panic, and what was added is taken away again or not at all.
    #[test]
    fn any_text_is_edited_or_left_alone(pieces in prop::collection::vec(0..PIECES.len(), 0..30)) {
        let text: String = pieces.into_iter().map(|at| PIECES[at]).collect();
        if let Ok(with) = set(&text) {
            let mut editor = TextEditor::open(ConfigFormat::Yaml, &with).unwrap();
            if editor.remove(&PATH).is_ok() {
                prop_assert!(!editor.finish().contains("/bin/x"), "{text:?}: {with:?}");
            }
        }
    }

    #[test]
    fn any_letters_are_read_without_a_panic(text in any::<String>()) {
        let _ = set(&text);
    }
}
