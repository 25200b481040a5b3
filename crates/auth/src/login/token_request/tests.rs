//! Tokens that could do harm, or be of no use, are none.

use serde_json::json;

use super::*;

fn given(answer: Value) -> Result<LoginTokens, String> {
    tokens_of(serde_json::from_value(answer).unwrap(), 1_000)
}

#[test]
fn a_token_that_cannot_be_shown_as_a_bearer_is_none() {
    for kind in ["Bearer", "bearer", ""] {
        given(json!({ "access_token": "a", "token_type": kind })).unwrap();
    }
    for kind in ["DPoP", "mac", "N_A"] {
        given(json!({ "access_token": "a", "token_type": kind })).unwrap_err();
    }
    for token in ["", "a\r\nX-Admin: 1", "a\nb", "a\u{0}b", "a\u{e9}"] {
        let refused = given(json!({ "access_token": token, "token_type": "Bearer" }));
        assert!(refused.is_err(), "{token:?}");
    }
}

#[test]
fn how_long_a_token_holds_is_bounded() {
    let lasts = |expires_in: Value| {
        given(json!({ "access_token": "a", "expires_in": expires_in })).unwrap().expires_at
    };
    assert_eq!(lasts(json!(60)), Some(61_000));
    assert_eq!(lasts(json!("60")), Some(61_000));
    assert_eq!(lasts(json!(1e300)), Some(1_000 + LONGEST_MS));
    assert_eq!((lasts(json!(-1)), lasts(json!("soon"))), (None, None));
}
