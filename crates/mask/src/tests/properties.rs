//! What holds for any secret and any text.

use proptest::prelude::*;

use super::*;

/// Printable, foreign, and of few letters so that they overlap each other and the stars.
fn secret() -> impl Strategy<Value = String> {
    let any = prop_oneof![
        3 => "[ -~]{6,24}",
        1 => "\\PC{6,16}",
        2 => "[ab*%\\\\\"+ 1]{6,12}",
    ];
    any.prop_filter("long enough to be looked for", |secret| secret.trim().len() >= 6)
}

/// Pieces that steer one of the finders.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "token=", "API_KEY: ", "\"password\":", "Authorization: ", "Bearer ", "Basic ", "://",
            "@", "?key=", "&", "-----BEGIN RSA PRIVATE KEY-----", "-----END ", "-----", "eyJ", ".",
            "ghp_0123456789A", "\\", "\"", "'", "`", "$(", "${", "}", "%", "%2", "\\u00", "\\ud83d",
            "***", "***", "é", "𝄞", " ", "\n", "{", "[", "]", ",", ":", "=", "https", "null", "1",
            "--token", "--api-key ", "\"name\":", "\"API_KEY\"", "\"value\":", "&quot;", "&#x2", ";",
        ]).prop_map(str::to_owned),
        1 => "[ab*%\\\\\"+ 1]{1,8}",
        1 => "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// JSON with the given texts as names, as values and as JSON inside a string.
fn document() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        soup().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let name = prop_oneof!["[a-z]{1,4}", Just("token".to_owned()), soup(), "name|value"];
        let members = prop::collection::vec((name, inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

fn masker_of(secrets: &[String]) -> Masker {
    masker(&secrets.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A place to hide in for each of the ways a secret is written.
fn check_hidden(
    masker: &Masker,
    secret: &str,
    before: &str,
    after: &str,
) -> Result<(), TestCaseError> {
    for encoded in encodings::all_of(secret) {
        let text = format!("{before}{}{after}", encoded.text);
        let masked = masker.mask_text(&text);
        prop_assert!(!masked.contains(&encoded.telling), "{encoded:?} {masked}");
        let json = serde_json::json!({"a": [text], "b": {encoded.text.as_str(): 1}}).to_string();
        let masked = masker.mask_json(&json);
        let read = serde_json::from_str::<serde_json::Value>(&masked);
        prop_assert!(!masked.contains(&encoded.telling), "{encoded:?} {masked}");
        prop_assert!(!read.unwrap()["a"].to_string().contains(&encoded.telling), "{masked}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Shows: S1-85.
    #[test]
    fn no_secret_remains_in_any_encoding(
        secrets in prop::collection::vec(secret(), 1..4),
        before in "[a-z ]{0,5}",
        after in "[ .,]?[a-z ]{0,5}",
    ) {
        let masker = masker_of(&secrets);
        for secret in &secrets {
            check_hidden(&masker, secret, &before, &after)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn masking_again_changes_nothing(
        secrets in prop::collection::vec(secret(), 0..4),
        text in soup(),
        place in any::<prop::sample::Index>(),
    ) {
        let masker = masker_of(&secrets);
        let mut text = text;
        if let Some(secret) = secrets.first() {
            let at = text.floor_char_boundary(place.index(text.len() + 1));
            text.insert_str(at, secret);
        }
        let once = masker.mask_text(&text).into_owned();
        prop_assert_eq!(masker.mask_text(&once), once.as_str());
        let once = masker.mask_json(&text).into_owned();
        prop_assert_eq!(masker.mask_json(&once), once.as_str());
    }

    #[test]
    fn json_stays_json_and_is_masked_once_and_for_all(
        secrets in prop::collection::vec(secret(), 0..3),
        document in document(),
    ) {
        let masker = masker_of(&secrets);
        let once = masker.mask_json(&document.to_string()).into_owned();
        prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&once).is_ok(), "{}", once);
        for secret in &secrets {
            prop_assert!(!once.contains(secret.trim()), "{}", once);
        }
        prop_assert_eq!(masker.mask_json(&once), once.as_str());
    }

    #[test]
    fn text_without_secrets_comes_out_as_it_went_in(
        secrets in prop::collection::vec("[A-Z0-9]{8,20}", 0..4),
        words in prop::collection::vec("[ac-z]{1,9}|größe|日本|\\{|\\}|%|\\\\n|[0-9]{1,4}", 0..40),
    ) {
        let text = words.join(" ");
        let masker = masker_of(&secrets);
        prop_assert!(matches!(masker.mask_text(&text), Cow::Borrowed(same) if same == text));
        prop_assert!(matches!(masker.mask_json(&text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn nothing_makes_it_panic(
        secrets in prop::collection::vec(any::<String>(), 0..4),
        text in any::<String>(),
        schema in document(),
        document in document(),
    ) {
        let masker = masker_of(&secrets);
        let _ = masker.mask_text(&text);
        let _ = masker.mask_json(&text);
        let raw = |json: serde_json::Value| serde_json::value::to_raw_value(&json).unwrap();
        let _ = masker.mask_arguments(&raw(document), Some(&raw(schema)));
    }
}
