//! A key is random, and nothing shows it.

use super::*;

#[test]
fn no_two_keys_are_alike() {
    let [one, other] = [(); 2].map(|()| InstallationKey::random().unwrap());
    assert_ne!(one.as_bytes(), other.as_bytes());
    assert_ne!(one.as_bytes(), &[0; 32]);
}

#[test]
fn a_key_is_not_shown() {
    let key = InstallationKey::recorded([7; 32]);
    assert_eq!(format!("{key:?} {key:#?}"), "InstallationKey(***) InstallationKey(***)");
}
