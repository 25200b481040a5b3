//! Heard, changed, and back again.

use super::*;

#[test]
fn the_first_word_is_accepted_and_another_is_noted_beside_it() {
    let first = ObservedInstructions::of(None, "a", 1);
    assert!(!first.is_drifted && first.is_changed);
    assert_eq!((first.pin.accepted.as_str(), first.pin.accepted_at), ("a", 1));
    let same = ObservedInstructions::of(Some(first.pin.clone()), "a", 2);
    assert_eq!((same.is_drifted, same.is_changed, &same.pin), (false, false, &first.pin));
    let other = ObservedInstructions::of(Some(same.pin), "b", 3);
    assert!(other.is_drifted);
    assert_eq!((other.pin.accepted.as_str(), other.pin.live.as_deref()), ("a", Some("b")));
    assert_eq!(other.pin.seen_at, Some(3));
    let told = ObservedInstructions::of(Some(other.pin), "b", 4);
    assert_eq!((told.is_drifted, told.pin.seen_at), (false, Some(3)), "told once");
    let back = ObservedInstructions::of(Some(told.pin), "a", 5);
    assert_eq!((back.is_drifted, back.is_changed, &back.pin), (false, true, &first.pin));
}

#[test]
fn nothing_is_a_word_too() {
    let silent = ObservedInstructions::of(None, "", 1).pin;
    let speaks = ObservedInstructions::of(Some(silent), "now I do", 2);
    assert!(speaks.is_drifted);
    assert_eq!(speaks.pin.accepted, "");
}
