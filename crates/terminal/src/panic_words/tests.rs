//! Panics over secrets, and over what the program itself says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed step is a failed test")]

use std::panic::{UnwindSafe, catch_unwind};

use super::*;

fn words_of(panics: impl FnOnce() + UnwindSafe) -> &'static str {
    panic_words(catch_unwind(panics).unwrap_err().as_ref())
}

#[test]
fn secrets_leaking_a_panic_over_a_token_does_not_repeat_it() {
    let token = String::from("access-canary");
    let (cut, kept): (_, Result<(), _>) = (token.clone(), Err(token.clone()));
    for words in [
        words_of(move || drop(cut[..99].to_owned())),
        words_of(move || kept.unwrap()),
        words_of(move || panic!("the token {token} was refused")),
    ] {
        assert_eq!(words, UNTOLD);
    }
}

#[test]
fn words_of_the_program_itself_are_told() {
    assert_eq!(words_of(|| panic!("nothing is left")), "nothing is left");
    let nothing: Option<()> = "".chars().next().map(drop);
    assert!(words_of(move || nothing.unwrap()).contains("Option::unwrap"));
}
