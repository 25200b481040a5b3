//! What such a program prints: `{"access_token": "…", "expires_in": 3600}`.

use serde::Deserialize;
use toolgate_types::Secret;

/// One that holds no longer than this is not used any more.
const RENEWED_BEFORE_MS: u64 = 60_000;

/// A token, and until when it counts.
pub(super) struct PrintedToken {
    pub(super) token: Secret,
    /// In milliseconds since 1970. None: until it is refused.
    expires_at: Option<u64>,
}

#[derive(Deserialize)]
struct WrittenToken {
    access_token: String,
    token_type: Option<String>,
    /// Seconds from now.
    expires_in: Option<f64>,
    /// Seconds since 1970.
    expires_at: Option<f64>,
}

impl PrintedToken {
    /// Nothing of what was printed is in an error.
    pub(super) fn read(printed: &[u8], now: u64) -> Result<Self, &'static str> {
        let written: WrittenToken = serde_json::from_slice(printed)
            .map_err(|_| "its program printed no token: `{\"access_token\": \"…\"}`")?;
        let WrittenToken { access_token, token_type, expires_in, expires_at } = written;
        let token = Secret::new(access_token);
        let kind = token_type.unwrap_or_default();
        if !kind.is_empty() && !kind.eq_ignore_ascii_case("bearer") {
            return Err("its program printed a token of another kind than `Bearer`");
        }
        let text = token.expose();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err("its program printed a token that cannot stand in a header");
        }
        // `as` saturates, and nothing is less than nothing.
        let millis = |seconds: f64| (seconds * 1000.0) as u64;
        let after_now = expires_in.map(|seconds| now.saturating_add(millis(seconds)));
        let at = expires_at.map(millis);
        let expires_at = [after_now, at].into_iter().flatten().min();
        Ok(Self { token, expires_at })
    }

    pub(super) fn holds(&self, now: u64) -> bool {
        self.expires_at.is_none_or(|at| now.saturating_add(RENEWED_BEFORE_MS) < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000_000;

    #[test]
    fn a_token_holds_as_long_as_is_said_and_else_until_it_is_refused() {
        let holds = |printed: &str, later: u64| {
            let read =
                PrintedToken::read(printed.as_bytes(), NOW).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(read.token.expose(), "t0ken");
            read.holds(NOW + later)
        };
        assert!(holds(r#"{"access_token":"t0ken"}"#, u64::MAX - NOW));
        let hour = r#"{"access_token":"t0ken","token_type":"bearer","expires_in":3600,"x":1}"#;
        assert!(holds(hour, 3_539_000) && !holds(hour, 3_540_000));
        let at = r#"{"access_token":"t0ken","expires_at":1800000600}"#;
        assert!(holds(at, 539_000) && !holds(at, 540_000));
        // Where both are said, the earlier counts; one that is over is used once at most.
        let both = r#"{"access_token":"t0ken","expires_in":3600,"expires_at":1800000600}"#;
        assert!(!holds(both, 540_000));
        assert!(!holds(r#"{"access_token":"t0ken","expires_in":-1}"#, 0));
        assert!(!holds(r#"{"access_token":"t0ken","expires_in":59}"#, 0));
    }

    #[test]
    fn whatever_else_is_printed_is_refused_and_not_repeated() {
        for printed in [
            "",
            "c4nary",
            r#"{"token":"c4nary"}"#,
            r#"{"access_token":"c4nary\nX: y"}"#,
            r#"{"access_token":"c4nary more"}"#,
            r#"{"access_token":""}"#,
            r#"{"access_token":"c4nary","token_type":"DPoP"}"#,
            r#"{"access_token":["c4nary"]}"#,
        ] {
            let why = PrintedToken::read(printed.as_bytes(), NOW).map(|_| ()).unwrap_err();
            assert!(!why.contains("c4nary"), "{why}");
        }
    }
}
