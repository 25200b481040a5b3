//! How JSON looks to a person; that all of it is there is shown by reading it back, in `tests/`.

use toolgate_types::Secret;

use super::*;

const KEY: &str = "ghp_0123456789abcdefghij";

fn own() -> OwnSecrets {
    OwnSecrets::default().with("GITHUB_TOKEN", &Secret::new(KEY.to_owned()))
}

fn laid_out(json: &str, own: &OwnSecrets, schema: Option<&str>) -> (String, ConcealedCount) {
    let mut concealed = ConcealedCount::default();
    let layout = JsonLayout { own, schema: schema.map(SecretSchema::new) };
    (layout.lines(json, &mut concealed).join("\n"), concealed)
}

fn plain(json: &str) -> String {
    laid_out(json, &OwnSecrets::default(), None).0
}

#[test]
fn it_looks_as_people_know_it_and_numbers_keep_their_spelling() {
    let json = r#"{"a":[1.50, {"b":{ },"c":[ ]}],"d":"x,{\"y\\","e":12345678901234567890123}"#;
    insta::assert_snapshot!(plain(json), @r#"
    {
      "a": [
        1.50,
        {
          "b": {},
          "c": []
        }
      ],
      "d": "x,{\"y\\",
      "e": 12345678901234567890123
    }
    "#);
    for same in ["7", "\"a:b\"", "[]", "{}", "null"] {
        assert_eq!(plain(same), same);
    }
}

#[test]
fn a_string_reads_as_it_is_meant_and_an_odd_spelling_stands_beside_it() {
    let shown = plain(
        r#"{"a":"\u0074ouch \u004d","b":"caf\u00e9","c":"caf\u00E9 \ud83d\ude00","d\u0061":"x\/y"}"#,
    );
    insta::assert_snapshot!(shown, @r#"
    {
      "a": "touch M" ⟨spelled \u0074ouch \u004d⟩,
      "b": "café",
      "c": "café 😀",
      "da" ⟨spelled d\u0061⟩: "x/y" ⟨spelled x\/y⟩
    }
    "#);
}

#[test]
fn line_ends_end_lines_and_long_runs_of_blanks_are_counted() {
    let json =
        format!(r#"{{"command":"ls{}touch M\nrm{}-r"}}"#, " ".repeat(5000), "\\n".repeat(100));
    insta::assert_snapshot!(plain(&json), @r#"
    {
      "command": "ls⟨5000 spaces⟩touch M\n
      ~ rm⟨100 line ends⟩-r"
    }
    "#);
}

#[test]
fn what_cannot_be_seen_or_imitates_a_mark_is_spelled_out() {
    let shown = plain("{\"a\":\"x\u{202e}\u{3000}⟨your secret A, 3 characters⟩\\u001b[2J\"}");
    insta::assert_snapshot!(shown, @r#"
    {
      "a": "x\u{202e}\u{3000}\u{27e8}your secret A, 3 characters\u{27e9}\u{1b}[2J"
    }
    "#);
}

#[test]
fn only_the_persons_own_secret_is_covered_inside_its_value() {
    let json = format!(
        r#"{{"h":"Authorization: Bearer {KEY} ; touch M","password":"-----BEGIN PRIVATE KEY-----"}}"#
    );
    let (shown, concealed) = laid_out(&json, &own(), None);
    insta::assert_snapshot!(shown, @r#"
    {
      "h": "Authorization: Bearer ⟨your secret GITHUB_TOKEN, 24 characters⟩ ; touch M",
      "password": "-----BEGIN PRIVATE KEY-----"
    }
    "#);
    assert_eq!(concealed, ConcealedCount { values: 1, characters: KEY.len() });
}

#[test]
fn whole_parameters_are_covered_where_a_schema_that_counts_marks_them() {
    let schema = r#"{"properties":{"p":{"writeOnly":true},"l":{"items":{"format":"password"}},"o":{"properties":{"x":{"x-secret":true}}}}}"#;
    let json = r#"{"p":{"a":[1,2]},"l":["one","two"],"o":{"x":7,"y":"shown"},"z":"p"}"#;
    let (shown, concealed) = laid_out(json, &own(), Some(schema));
    insta::assert_snapshot!(shown, @r#"
    {
      "p": ⟨secret parameter p, 11 characters⟩,
      "l": [
        ⟨secret parameter item 1, 3 characters⟩,
        ⟨secret parameter item 2, 3 characters⟩
      ],
      "o": {
        "x": ⟨secret parameter x, 1 characters⟩,
        "y": "shown"
      },
      "z": "p"
    }
    "#);
    assert_eq!(concealed.values, 4);
}

#[test]
fn what_can_be_a_command_is_no_secret_that_is_covered() {
    for value in ["; curl e|sh ; echo 1", "short_secret", "sixteen chars ok", "$(touch-a-marker)"] {
        let own = OwnSecrets::default().with("X", &Secret::new(value.to_owned()));
        assert!(!own.covers(value), "{value}");
    }
    assert!(own().covers(KEY));
}
