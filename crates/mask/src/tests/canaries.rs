//! Fifty secrets let loose everywhere a secret has been seen to leak; none is found again.

use super::*;

/// Random enough to be found by nothing but its value, the same in every run.
fn canary(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.!/+= ";
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[usize::try_from(state >> 33).unwrap() % letters.len()])
    };
    let middle: String = (0..10 + number % 30).map(letter).collect();
    format!("c{middle}z")
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// What a log, a record or an error could hold of one secret; the flag tells JSON.
fn leaks(secret: &str) -> Vec<(bool, String)> {
    let base64 = encodings::base64(format!("user:{secret}").as_bytes(), true);
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let inner = format!("{{\"deep\":[{{\"note\":{}}}]}}", json(secret));
    vec![
        (false, format!("> X-Custom: {secret}")),
        (false, format!("environment: PLAIN={secret} OTHER=1")),
        (false, format!("GET https://host.example/a?page=1&q={percent}#top failed")),
        (false, format!("2026-01-01T00:00:00Z ERROR could not log in as {secret}: 401")),
        (false, format!("thread 'main' panicked: {secret:?}")),
        (false, format!("basic credentials {base64}")),
        (true, format!("{{\"a\":[1.50,{{\"b\":{{\"c\":{}}}}}]}}", json(&format!("x {secret} y")))),
        (true, format!("{{\"body\":{}}}", json(&inner))),
        (true, format!("[{}, {}]", json(&base64), json(&format!("https://h/?q={percent}")))),
        (true, format!("{{{}:true}}", json(secret))),
    ]
}

/// Shows: S1-85, S3-31, S3-44.
#[test]
fn of_fifty_canaries_in_every_place_none_is_found_again() {
    let canaries: Vec<String> = (1..=50).map(canary).collect();
    let masker = masker(&canaries.iter().map(String::as_str).collect::<Vec<_>>());
    for secret in &canaries {
        for (is_json, leak) in leaks(secret) {
            let masked = match is_json {
                true => masker.mask_json(&leak),
                false => masker.mask_text(&leak),
            };
            for encoded in encodings::all_of(secret) {
                assert!(!masked.contains(&encoded.telling), "{leak}\n{masked}");
            }
            assert_ne!(masked, leak);
            if is_json {
                serde_json::from_str::<serde::de::IgnoredAny>(&masked).unwrap();
            }
        }
    }
}
