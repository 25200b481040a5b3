//! Each kind of change told for what it is, and hostile definitions within bounds.

mod hostile;

use super::*;

const TOOL: &str = r#"{"name":"read","title":"Read","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"},"title":{"type":"string"}},"required":["path"]},"annotations":{"readOnlyHint":true}}"#;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn between(accepted: &str, live: &str) -> DefinitionDrift {
    compare(&raw(accepted), &raw(live))
}

/// What comes of replacing one part of the tool by another.
fn with(part: &str, by: &str) -> DefinitionDrift {
    let live = TOOL.replace(part, by);
    assert_ne!(live, TOOL, "{part} is not there");
    between(TOOL, &live)
}

/// The only change: its place and how grave it is.
fn only(drift: &DefinitionDrift) -> (&str, Severity) {
    let [change] = &drift.changes[..] else { panic!("{drift:?}") };
    assert_eq!((drift.severity, drift.more), (change.severity, 0));
    (&change.place, change.severity)
}

#[test]
fn the_same_bytes_are_no_change() {
    let drift = between(TOOL, TOOL);
    assert_eq!((drift.severity, drift.changes.len(), drift.more), (Severity::Wording, 0, 0));
}

#[test]
fn the_gravest_is_the_greatest() {
    let all = [Severity::Wording, Severity::Interface, Severity::Danger];
    assert!(all.is_sorted());
    assert_eq!(all, Severity::ALL);
}

/// Shows: E-6.
#[test]
fn other_words_are_wording() {
    let places = [
        ("Reads a file.", "Reads files.", "description"),
        (r#""Read""#, r#""Reading""#, "title"),
        (r#""title":"Read","#, "", "title"),
        ("Where", "The file", "inputSchema.properties.path.description"),
    ];
    for (part, by, place) in places {
        assert_eq!(only(&with(part, by)), (place, Severity::Wording));
    }
    let examples = with(r#""required""#, r#""examples":[{"path":"x"}],"required""#);
    assert_eq!(only(&examples), ("inputSchema.examples", Severity::Wording));
}

/// Shows: E-6.
#[test]
fn what_is_taken_and_given_and_what_nobody_knows_is_interface() {
    let places = [
        (r#"{"type":"string","des"#, r#"{"type":"array","des"#, "inputSchema.properties.path.type"),
        (r#"["path"]"#, r#"["path","title"]"#, "inputSchema.required"),
        (r#"["path"]"#, r#"["title"]"#, "inputSchema.required[0]"),
        (r#","title":{"type":"string"}"#, "", "inputSchema.properties.title"),
        // A parameter of this name is no title.
        (
            r#""title":{"type":"string"}"#,
            r#""title":{"type":"null"}"#,
            "inputSchema.properties.title.type",
        ),
        (r#""name":"read""#, r#""name":"reed""#, "name"),
        (r#""title":"Read""#, r#""title":["Read"]"#, "title"),
        (r#","annotations""#, r#","_meta":{"description":"x"},"annotations""#, "_meta"),
        (r#","annotations""#, r#","outputSchema":{},"annotations""#, "outputSchema"),
        (r#""Where""#, r#""Where","default":"x""#, "inputSchema.properties.path.default"),
    ];
    for (part, by, place) in places {
        assert_eq!(only(&with(part, by)), (place, Severity::Interface));
    }
    // What is given where nothing is said, not words about it.
    let [before, after] = ["a", "b"].map(|title| {
        format!(r#"{{"inputSchema":{{"properties":{{"x":{{"default":{{"title":"{title}"}}}}}}}}}}"#)
    });
    let drift = between(&before, &after);
    assert_eq!(only(&drift), ("inputSchema.properties.x.default.title", Severity::Interface));
}

/// Shows: E-6.
#[test]
fn another_word_on_its_effects_is_danger() {
    let flipped = with("true", "false");
    assert_eq!(only(&flipped), ("annotations.readOnlyHint", Severity::Danger));
    assert_eq!(
        flipped.lines(),
        ["danger", "annotations.readOnlyHint (danger)", "- true", "+ false"]
    );
    let places = [
        (r#","annotations":{"readOnlyHint":true}"#, "", "annotations"),
        (r#":true}"#, r#":true,"openWorldHint":false}"#, "annotations.openWorldHint"),
        (r#""readOnlyHint":true"#, "", "annotations.readOnlyHint"),
    ];
    for (part, by, place) in places {
        assert_eq!(only(&with(part, by)), (place, Severity::Danger));
    }
}

/// Shows: E-6.
#[test]
fn what_nobody_would_see_is_danger_and_written_out() {
    // Tags, bidirectional controls, an escape of a terminal: as themselves and as JSON escapes.
    let texts =
        ["a\u{202e}b", "a\u{e0041}b", r"a\u001b[2Jb", r"a\udb40\udc41b", r"a\b", r"a\ud800"];
    for text in texts {
        let drift = with("Reads a file.", text);
        assert_eq!(only(&drift), ("description", Severity::Danger), "{text}");
        assert!(!drift.lines().concat().contains(toolgate_types::is_hidden));
    }
    let drift = with("Reads a file.", "Reads\u{200b} a file.");
    assert_eq!(drift.changes[0].after.as_deref(), Some("Reads\\u{200b} a file."));
    let key = with(r#","title":{"#, ",\"pa\u{200d}th\":{");
    assert_eq!(key.severity, Severity::Danger);
    assert_eq!(key.changes[0].place, r"inputSchema.properties.pa\u{200d}th");
    let inside = with(r#""required""#, r#""x":{"y":["\u202e"]},"required""#);
    assert_eq!(only(&inside), ("inputSchema.x", Severity::Danger));
}

#[test]
fn line_breaks_and_what_was_hidden_before_are_no_danger() {
    let lines = with("Reads a file.", r"Reads\n\ta file.\r\n");
    assert_eq!(only(&lines), ("description", Severity::Wording));
    assert_eq!(lines.changes[0].after.as_deref(), Some(r"Reads\n\ta file.\r\n"));
    let drift = between("{\"title\":\"a\u{200b}b\"}", "{\"title\":\"a\u{200b}c\"}");
    assert_eq!(only(&drift), ("title", Severity::Wording));
    let drift = between("{\"title\":\"a\u{200b}b\"}", r#"{"title":"ab"}"#);
    assert_eq!(only(&drift), ("title", Severity::Wording), "what is no longer hidden");
}

#[test]
fn white_space_escapes_and_order_alone_are_a_change_too() {
    let same = [
        (r#"{"a":1,"b":[2]}"#, r#"{"a":1, "b":[2]}"#),
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"\u0063"}}"#),
    ];
    for (accepted, live) in same {
        let drift = between(accepted, live);
        assert_eq!(only(&drift), ("(formatting)", Severity::Wording));
        assert_eq!(drift.lines(), ["wording", "(formatting) (wording)"]);
    }
    let spelled = between(r#"{"a":1}"#, r#"{"a":1.0}"#);
    assert_eq!(only(&spelled), ("a", Severity::Interface), "a number spelled otherwise");
}

#[test]
fn the_gravest_comes_first_and_all_are_told() {
    let live = TOOL.replace("Reads a", "Reads any").replace(":true", ":false").replace(
        r#","title":{"type":"string"}"#,
        r#","to":{"type":"string","description":"Where to send a copy"}"#,
    );
    let drift = between(TOOL, &live);
    assert_eq!(
        drift.lines(),
        [
            "danger",
            "annotations.readOnlyHint (danger)",
            "- true",
            "+ false",
            "inputSchema.properties.title (interface)",
            r#"- {"type":"string"}"#,
            "inputSchema.properties.to (interface)",
            r#"+ {"type":"string","description":"Where to send a copy"}"#,
            "description (wording)",
            "- Reads a file.",
            "+ Reads any file.",
        ]
    );
}

#[test]
fn a_long_text_is_cut_down_to_where_it_differs() {
    let (before, after) = ("é".repeat(500), "ü".repeat(500));
    let [one, other] = ["old", "new"].map(|word| format!(r#"{{"title":"{before}{word}{after}"}}"#));
    let drift = between(&one, &other);
    let (lead, trail) = ("é".repeat(40), "ü".repeat(40));
    assert_eq!(drift.changes[0].before, Some(format!("…{lead}old{trail}…")));
    assert_eq!(drift.changes[0].after, Some(format!("…{lead}new{trail}…")));
    // Between the first and the last difference nothing is taken for the same.
    let [one, other] = [("a", "b"), ("c", "d")]
        .map(|(first, last)| format!(r#"{{"title":"{first}{before}{last}"}}"#));
    let shown = between(&one, &other).changes.remove(0).after.unwrap();
    assert!(shown.starts_with("cé") && shown.ends_with("éd"), "{shown}");
    assert!(shown.contains("… 102 more characters …"), "{shown}");
}

#[test]
fn what_is_no_object_is_one_change() {
    assert_eq!(only(&between("1", r#""x""#)), ("(definition)", Severity::Danger));
}

#[test]
fn a_key_that_comes_twice_is_told() {
    let drift = between(r#"{"description":"a"}"#, r#"{"description":"a","description":"b"}"#);
    assert_eq!(only(&drift).0, "description");
    assert_eq!(drift.changes[0].after.as_deref(), Some("b"));
}
