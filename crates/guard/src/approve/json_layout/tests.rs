//! Every character that would be sent is shown, or covered and counted: read back, what is shown is
//! what was meant.

mod read_back;

use proptest::prelude::*;
use serde_json::value::RawValue;
use toolgate_types::{Secret, is_hidden};

use super::*;
use read_back::{ReadBack, read_back};

const KEY: &str = "ghp_0123456789abcdefghij";

fn own() -> OwnSecrets {
    OwnSecrets::default().with("GITHUB_TOKEN", &Secret::new(KEY.to_owned()))
}

fn laid_out(json: &str, own: &OwnSecrets, schema: Option<&str>) -> (String, Concealed) {
    let mut concealed = Concealed::default();
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
    assert_eq!(concealed, Concealed { values: 1, characters: KEY.len() });
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

/// Arguments of all kinds, with the signs that matter more often than by chance.
fn arguments() -> impl Strategy<Value = serde_json::Value> {
    let sign = prop_oneof![
        Just("\n".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("~ ".to_owned()),
        Just(" ".repeat(17)),
        Just("\n".repeat(20)),
        Just(KEY.to_owned()),
        Just("⟨3 spaces⟩".to_owned()),
        Just("\\u{202e}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("| ".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just(" ⟨spelled ".to_owned()),
        any::<char>().prop_map(String::from),
        "[ -~]{0,6}",
    ];
    let text = prop::collection::vec(sign, 0..6).prop_map(|signs| signs.concat());
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        text.clone().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// The same JSON with some characters of its strings escaped that need not be.
fn escaped(json: &str, every: usize) -> String {
    let mut out = String::new();
    let mut is_escaped = false;
    let mut is_text = false;
    for (at, c) in json.char_indices() {
        // None of the digits of an escape.
        let is_plain = is_text && !is_escaped && matches!(c, 'g'..='z' | 'G'..='Z');
        match is_plain && at % every == 0 {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ => {}
        }
    }
    out
}

proptest! {
    #[test]
    fn what_is_shown_reads_back_as_what_is_sent(value in arguments(), every in 1_usize..9) {
        for json in [value.to_string(), escaped(&value.to_string(), every)] {
            prop_assert!(serde_json::from_str::<&RawValue>(&json).is_ok());
            let (shown, concealed) = laid_out(&json, &own(), None);
            prop_assert!(!shown.chars().any(|c| is_hidden(c) && c != '\n'), "{shown:?}");
            let ReadBack { value: read, covered } = read_back(&shown, KEY);
            prop_assert_eq!(&read, &value, "{}", shown);
            prop_assert_eq!(covered, concealed.values);
        }
    }
}
