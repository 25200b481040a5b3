//! The bounds of what is remembered. What a caller sees of it is in `tests/it/verifying.rs`.

use toolgate_store::{KeptToken, TokenKind};

use super::*;

const THEN: u64 = 1_000_000;

fn hash(number: usize) -> Digest {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    Digest(bytes)
}

fn judged(number: usize) -> Result<Arc<VerifiedToken>, TokenRefusal> {
    let token = KeptToken {
        name: TokenName::parse(&format!("t{number}")).unwrap(),
        hash: hash(number),
        kind: TokenKind::Client,
        roles: None,
        client: None,
        shows_forms: false,
        is_owners: false,
        created_at: 1,
        expires_at: None,
        revoked_at: None,
    };
    VerifiedToken::judge(token, THEN).map(Arc::new)
}

fn is_nothing(remembered: &RememberedToken) -> bool {
    matches!(remembered, RememberedToken::Nothing)
}

fn is_crowded(remembered: &RememberedToken) -> bool {
    matches!(remembered, RememberedToken::Refused(TokenRefusal::Crowded))
}

#[test]
fn strangers_are_put_off_when_there_are_too_many_and_asked_for_again_later() {
    let mut known = KnownTokens::default();
    for number in 0..MOST {
        assert!(is_nothing(&known.recall(hash(number), THEN)));
        known.remember(hash(number), &Err(TokenRefusal::Unknown), THEN);
    }
    assert!(is_crowded(&known.recall(hash(MOST), THEN + 1)));
    known.remember(hash(MOST), &Err(TokenRefusal::Unknown), THEN + 1);
    assert_eq!(known.sizes(), (0, MOST));
    assert!(is_nothing(&known.recall(hash(MOST), THEN + BELIEVED_MS)));
    assert_eq!(known.sizes(), (0, 0));
}

#[test]
fn a_crowd_of_strangers_puts_off_nobody_who_was_verified() {
    let mut known = KnownTokens::default();
    known.remember(hash(5000), &judged(5000), THEN);
    known.recall(hash(0), THEN + BELIEVED_MS);
    for number in 0..MOST {
        known.remember(hash(number), &Err(TokenRefusal::Unknown), THEN + BELIEVED_MS);
    }
    assert!(is_crowded(&known.recall(hash(MOST), THEN + BELIEVED_MS)));
    // Too old to be believed, and so the store is asked all the same.
    assert!(is_nothing(&known.recall(hash(5000), THEN + BELIEVED_MS)));
}

#[test]
fn those_verified_are_bounded_and_make_room_when_they_are_too_old() {
    let mut known = KnownTokens::default();
    for number in 0..=MOST {
        known.remember(hash(number), &judged(number), THEN);
    }
    assert_eq!(known.sizes(), (MOST, 0));
    assert!(is_nothing(&known.recall(hash(MOST), THEN)));
    known.remember(hash(0), &judged(0), THEN + 1);
    assert_eq!(known.sizes(), (MOST, 0));
    known.remember(hash(MOST), &judged(MOST), THEN + BELIEVED_MS);
    // The one that was asked for a moment later is believed a moment longer.
    assert_eq!(known.sizes(), (2, 0));
}

#[test]
fn one_that_counted_and_does_no_longer_is_refused_from_memory() {
    let mut known = KnownTokens::default();
    known.remember(hash(1), &judged(1), THEN);
    let later = THEN + BELIEVED_MS;
    assert!(is_nothing(&known.recall(hash(1), later)));
    known.remember(hash(1), &Err(TokenRefusal::Unknown), later);
    assert!(matches!(
        known.recall(hash(1), later),
        RememberedToken::Refused(TokenRefusal::Unknown)
    ));
}

#[test]
fn a_clock_that_is_set_back_makes_nothing_last_longer() {
    let mut known = KnownTokens::default();
    known.remember(hash(1), &judged(1), THEN);
    known.recall(hash(2), THEN);
    known.remember(hash(2), &Err(TokenRefusal::Unknown), THEN);
    assert!(is_nothing(&known.recall(hash(1), THEN - 1)));
    assert!(is_nothing(&known.recall(hash(2), THEN - 1)));
}
