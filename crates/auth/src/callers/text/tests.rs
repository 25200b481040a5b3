//! What a token looks like.

use super::*;

#[test]
fn a_token_is_a_prefix_and_43_characters_and_never_twice_the_same() {
    let [one, other] = [random().unwrap(), random().unwrap()];
    for text in [&one, &other] {
        assert_eq!(text.expose().len(), 47);
        assert!(is_one(text.expose()), "{}", text.expose());
    }
    assert_ne!(one.expose(), other.expose());
}

#[test]
fn what_cannot_be_a_token_is_none() {
    let random = "a".repeat(43);
    assert!(is_one(&format!("tgt_{random}")));
    for text in ["", "tgt_", &random, &format!("tgx_{random}"), &format!("TGT_{random}")] {
        assert!(!is_one(text), "{text}");
    }
    for text in
        [format!("tgt_{random}a"), format!("tgt_{random}\n"), format!("tgt_é{}", "a".repeat(41))]
    {
        assert!(!is_one(&text), "{text}");
    }
}

#[test]
fn the_hash_is_sha_256_of_the_text() {
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash("abc").to_hex(), known);
}
