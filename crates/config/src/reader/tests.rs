//! What is suggested for a key that nobody knows.

use super::*;

const KNOWN: [&str; 4] = ["command", "request_timeout_ms", "env", "url"];

#[test]
fn the_nearest_known_key_is_suggested_in_whatever_spelling_it_was_meant() {
    assert_eq!(known_keys_hint("comand", &KNOWN), "did you mean `command`?");
    assert_eq!(known_keys_hint("requestTimeotMs", &KNOWN), "did you mean `request_timeout_ms`?");
    assert_eq!(known_keys_hint("ulr", &KNOWN), "did you mean `url`?");
}

#[test]
fn a_key_that_is_near_to_none_gets_the_list() {
    let all = "known keys: command, request_timeout_ms, env, url";
    assert_eq!(known_keys_hint("frobnicate", &KNOWN), all);
    assert_eq!(known_keys_hint(&"command".repeat(1000), &KNOWN), all);
    assert_eq!(known_keys_hint("x", &[]), "known keys: ");
}
