//! Why a call has no outcome: one set of words for every surface.
//!
//! What a caller is told is one sentence without a path, a stack or a secret; what only the log may
//! have is kept apart, and the correlation id leads from one to the other.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::ServerId;

words! {
    /// What went wrong, in the words every surface maps from.
    Code {
        Internal = "internal",
        PermissionDenied = "permission_denied",
        DeadlineExceeded = "deadline_exceeded",
        Cancelled = "cancelled",
        Unauthenticated = "unauthenticated",
        InvalidArgument = "invalid_argument",
        NotFound = "not_found",
        Unavailable = "unavailable",
        ResourceExhausted = "resource_exhausted",
    }
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Caller,
    Server,
    Toolgate,
}

impl Code {
    pub fn fault(self) -> Fault {
        match self {
            Self::PermissionDenied
            | Self::Cancelled
            | Self::InvalidArgument
            | Self::NotFound
            | Self::ResourceExhausted => Fault::Caller,
            Self::DeadlineExceeded | Self::Unauthenticated | Self::Unavailable => Fault::Server,
            Self::Internal => Fault::Toolgate,
        }
    }

    /// Whether the same call may well succeed a little later.
    pub fn is_worth_another_try(self) -> bool {
        matches!(self, Self::DeadlineExceeded | Self::Unavailable | Self::ResourceExhausted)
    }
}

/// A call that has no outcome.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message} ({code}, ref {correlation})")]
pub struct CallError {
    pub code: Code,
    /// For the caller: one sentence.
    pub message: String,
    pub correlation: CorrelationId,
    /// Why exactly, in a word that programs go by: of a refusal `denied`, `expired` or
    /// `no_channel`, of what came back changed `state`.
    pub reason: Option<&'static str>,
    /// When another try makes sense, where that is known.
    pub retry_after: Option<Duration>,
    /// The server that wants a login, where that is why and somebody can log in there.
    pub wants_login: Option<ServerId>,
    /// For the log only.
    pub detail: Option<String>,
    /// What the server itself answered, to be passed on as it is but for secrets.
    pub answer: Option<Box<ServerAnswer>>,
    /// What a command had printed until it was ended.
    pub partial: Option<Box<str>>,
}

impl CallError {
    /// The reason of a call whose `requestState` is not what was given: an error of the request, about
    /// which no model can do anything.
    pub const STATE: &'static str = "state";
}

/// An error in a server's own words.
#[derive(Debug, Clone)]
pub struct ServerAnswer {
    pub code: i64,
    pub message: String,
    pub data: Option<Box<RawValue>>,
}

/// Leads from the error that a caller saw to the record of the call.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CorrelationId {
    /// Nothing but zeros behind its end.
    text: [u8; CorrelationId::LONGEST],
    length: u8,
}

impl CorrelationId {
    /// Twelve digits, a hyphen, and as many digits as a counter can have.
    const LONGEST: usize = 12 + 1 + 16;

    /// A new one, different from those of this and of other processes.
    pub fn next() -> Self {
        // Random once per process; the counter makes the difference from then on.
        static PROCESS: LazyLock<u64> = LazyLock::new(|| {
            use std::hash::{BuildHasher as _, RandomState};
            RandomState::new().hash_one(std::process::id())
        });
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        Self::of_numbers(*PROCESS >> 16, number)
    }

    /// Twelve digits, a hyphen, and as many digits as it takes. Each call has one, and writing it so takes a
    /// tenth of what formatting does.
    fn of_numbers(process: u64, number: u64) -> Self {
        let mut text = [0; Self::LONGEST];
        text[12] = b'-';
        for (place, digit) in text.iter_mut().take(12).rev().enumerate() {
            *digit = hex_digit(process >> (4 * place));
        }
        let digits = number.checked_ilog2().map_or(1, |bits| bits as usize / 4 + 1);
        for (place, digit) in text.iter_mut().skip(13).take(digits).rev().enumerate() {
            *digit = hex_digit(number >> (4 * place));
        }
        Self { text, length: 13 + digits as u8 }
    }

    /// One that was written down; nothing that is longer than they are.
    pub fn parse(written: &str) -> Option<Self> {
        let mut text = [0; Self::LONGEST];
        text.get_mut(..written.len())?.copy_from_slice(written.as_bytes());
        Some(Self { text, length: written.len() as u8 })
    }

    pub fn as_str(&self) -> &str {
        // It was made of text, and of no more than there is room for.
        str::from_utf8(&self.text[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// The last four bits as people write them.
fn hex_digit(bits: u64) -> u8 {
    b"0123456789abcdef"[(bits & 0xf) as usize]
}

impl fmt::Display for CorrelationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CorrelationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_calls_have_one_correlation_id() {
        let ids: std::collections::HashSet<_> = (0..1000).map(|_| CorrelationId::next()).collect();
        assert_eq!(ids.len(), 1000);
    }

    #[test]
    fn a_correlation_id_is_written_in_hexadecimal() {
        for number in [0, 1, 15, 16, 255, 256, 0x1234_5678_9abc, u64::MAX >> 1, u64::MAX] {
            let process = number >> 16;
            let expected = format!("{process:012x}-{number:x}");
            let made = CorrelationId::of_numbers(process, number);
            assert_eq!(made.as_str(), expected);
            assert_eq!(CorrelationId::parse(&expected), Some(made));
        }
    }

    #[test]
    fn what_is_longer_than_any_correlation_id_is_none() {
        assert!(CorrelationId::parse(&"0".repeat(CorrelationId::LONGEST)).is_some());
        assert_eq!(CorrelationId::parse(&"0".repeat(CorrelationId::LONGEST + 1)), None);
        assert!(CorrelationId::parse("a") < CorrelationId::parse("a0"), "as texts are");
    }

    #[test]
    fn an_error_says_code_sentence_and_reference_but_not_the_detail() {
        let error = CallError {
            code: Code::Unavailable,
            message: "the server `x` cannot be reached".to_owned(),
            correlation: CorrelationId::next(),
            reason: None,
            retry_after: None,
            wants_login: None,
            detail: Some("/secret/path".to_owned()),
            answer: None,
            partial: None,
        };
        let text = error.to_string();
        assert!(text.starts_with("the server `x` cannot be reached (unavailable, ref "), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
