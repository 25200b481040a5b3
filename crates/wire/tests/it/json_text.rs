//! Strategies for JSON as peers really write it: odd numbers, escapes, whitespace, key order.
//!
//! They make text, not values, because the spelling is what must survive.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Any JSON value; keys are unique within each object.
pub(crate) fn value() -> impl Strategy<Value = String> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let array = (vec(inner.clone(), 0..4), blank())
            .prop_map(|(items, blank)| format!("[{blank}{}]", items.join(&format!("{blank},"))));
        prop_oneof![array, members_of(inner, 4).prop_map(|members| object_text(&members, ""))]
    })
}

/// The members of an object: spelled keys without quotes, and values.
pub(crate) fn members() -> impl Strategy<Value = Vec<(String, String)>> {
    members_of(value(), 20)
}

pub(crate) fn object() -> impl Strategy<Value = String> {
    (members(), blank()).prop_map(|(members, blank)| object_text(&members, &blank))
}

pub(crate) fn object_text(members: &[(String, String)], blank: &str) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{blank}\"{key}\"{blank}:{blank}{value}{blank}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn members_of(
    value: impl Strategy<Value = String>,
    most: usize,
) -> impl Strategy<Value = Vec<(String, String)>> {
    let key = prop_oneof!["[a-z]{0,12}", Just("é😀".to_owned()), Just(r"\u0061\/\n".to_owned())];
    vec((key, value), 0..=most).prop_map(|members| {
        // The number makes a key unique, at its front or at its end.
        let unique = |(n, (key, value)): (usize, (String, String))| match n % 2 {
            0 => (format!("{n}{key}"), value),
            _ => (format!("{key}-{n}"), value),
        };
        members.into_iter().enumerate().map(unique).collect()
    })
}

fn leaf() -> impl Strategy<Value = String> {
    let odd = [
        "null",
        "true",
        "false",
        "1.0",
        "1e2",
        "-0",
        "0.10E+05",
        "12345678901234567890",
        r#""\u00e9\/\ud83d\ude00 \ud83d""#,
    ];
    prop_oneof![
        select(odd.to_vec()).prop_map(str::to_owned),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]
}

fn blank() -> impl Strategy<Value = String> {
    "[ \n\t\r]{0,2}"
}
