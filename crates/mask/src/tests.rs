//! What the masker promises as a whole: nothing configured gets through, nothing else is touched.

mod canaries;
mod encodings;
mod properties;

use super::*;

fn masker(secrets: &[&str]) -> Masker {
    let add = |builder: MaskerBuilder, secret: &&str| builder.secret(&secret_of(secret));
    secrets.iter().fold(Masker::builder(), add).build()
}

fn secret_of(value: &str) -> Secret {
    Secret::new(value.to_owned())
}

/// Shows: S1-85.
#[test]
fn a_secret_is_masked_wherever_it_stands_and_overlapping_ones_as_one() {
    let masker = masker(&["hunter2!", "ter2!xyz", "größe-17"]);
    assert_eq!(masker.mask_text("a hunter2! b"), "a *** b");
    assert_eq!(masker.mask_text("hunter2!xyz"), "***");
    assert_eq!(masker.mask_text("hunter2!größe-17hunter2!"), "***");
    assert_eq!(masker.mask_text("HUNTER2! stays"), "HUNTER2! stays");
}

#[test]
fn what_one_learns_all_its_clones_know_and_nothing_is_forgotten() {
    let masker = masker(&["old-hunter-1"]);
    let (clone, other) = (masker.clone(), masker.with([]));
    masker.learn(&Masker::builder().secret(&secret_of("new-hunter-2")).build());
    assert_eq!(clone.mask_text("old-hunter-1 new-hunter-2"), "*** ***");
    assert_eq!(other.mask_text("old-hunter-1 new-hunter-2"), "*** new-hunter-2");
}

/// Shows: S1-85.
#[test]
fn a_line_is_cut_only_after_it_was_masked() {
    let masker = masker(&["größe-17-und-mehr"]);
    assert_eq!(masker.mask_and_cut("abc größe-17-und-mehr def", 10), "abc *** de…");
    assert_eq!(masker.mask_and_cut("größe-17-und-mehr\n\nééééé\n", 4), "***\n\néééé…\n");
    assert_eq!(masker.mask_and_cut("", 4), "");
}

/// Shows: S1-85.
#[test]
fn a_secret_is_masked_in_each_of_its_encodings() {
    let secret = "p ss/w\"rd+é~1";
    let masker = masker(&[secret]);
    for encoded in encodings::all_of(secret) {
        let masked = masker.mask_text(&encoded.text).into_owned();
        assert!(!masked.contains(&encoded.telling), "{encoded:?} {masked}");
        assert!(masked.contains("***"), "{encoded:?} {masked}");
    }
}

#[test]
fn the_bits_that_base64_shares_with_its_neighbours_go_too() {
    let masker = masker(&["hunter2"]);
    assert_eq!(masker.mask_text(&encodings::base64(b"hunter2", true)), "***");
    assert_eq!(masker.mask_text(&encodings::base64(b"u:hunter2", true)), "dT***");
    assert_eq!(masker.mask_text(&encodings::base64(b"u:hunter2 etc", true)), "dT***IGV0Yw==");
    assert_eq!(masker.mask_text(&encodings::base64(b":hunter2?", false)), "O***_");
}

#[test]
fn a_token_that_arrives_later_is_masked_from_then_on() {
    let before = masker(&["first-one"]);
    let after = before.with([&secret_of("later-one")]);
    assert_eq!(before.mask_text("later-one"), "later-one");
    assert_eq!(after.mask_text("first-one later-one"), "*** ***");
}

#[test]
fn a_credential_is_masked_without_the_word_that_stood_before_it() {
    let masker = masker(&["Bearer abc-def-9"]);
    assert_eq!(masker.mask_text("sent abc-def-9 to it"), "sent *** to it");
}

#[test]
fn each_line_of_a_long_secret_is_masked_by_itself() {
    let masker = masker(&["-----BEGIN X-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END X-----"]);
    assert_eq!(masker.mask_text("line kqhkiG9w0BAQEF"), "line ***");
    assert_eq!(masker.mask_text("-----END X-----"), "-----END X-----");
}

#[test]
fn short_and_everyday_values_do_not_shred_other_text() {
    let masker = masker(&["true", "null", "12345", "five5", "default", "Password", "      x"]);
    let text = "true null 12345 five5 default Password       x";
    assert!(matches!(masker.mask_text(text), Cow::Borrowed(same) if same == text));
}

#[test]
fn stars_that_make_up_another_secret_are_masked_again() {
    let masker = masker(&["left***right", "middle"]);
    assert_eq!(masker.mask_text("leftmiddleright"), "***");
}

/// Shows: S1-85.
#[test]
fn a_masker_shows_nothing_of_what_it_masks() {
    let builder = Masker::builder().secret(&secret_of("hunter2!"));
    assert_eq!(format!("{builder:?}"), "MaskerBuilder(***)");
    assert_eq!(format!("{:?}", builder.build()), "Masker(***)");
}
