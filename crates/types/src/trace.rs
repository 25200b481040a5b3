//! The place in somebody's trace that a request names: `traceparent`, as W3C Trace Context has it.
//!
//! It is read where a record is opened, and never changed: what goes to a server is the caller's own
//! `_meta`. `tracestate` and baggage are not read here.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The length of version 00. Later ones may go on after it.
const LENGTH: usize = 55;

/// The span of a caller that an operation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    flags: u8,
}

/// What is looked for in a `_meta`.
#[derive(Deserialize)]
struct TraceMeta<'a> {
    #[serde(borrow)]
    traceparent: Option<Cow<'a, str>>,
}

impl TraceParent {
    /// What a caller's `_meta` says. Most say nothing, and those are not parsed.
    pub fn of_meta(meta: &RawValue) -> Option<Self> {
        if !meta.get().contains("traceparent") {
            return None;
        }
        let TraceMeta { traceparent } = serde_json::from_str(meta.get()).ok()?;
        Self::parse(&traceparent?)
    }

    /// `00-<trace>-<span>-<flags>` in small hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (known, rest) = bytes.split_at_checked(LENGTH)?;
        let [version] = digits(known.get(..2)?)?;
        let may_go_on = version != 0 && rest.starts_with(b"-");
        let is_well_formed = [2, 35, 52].iter().all(|&at| known.get(at) == Some(&b'-'));
        if version == 0xff || !is_well_formed || !(rest.is_empty() || may_go_on) {
            return None;
        }
        let trace = u128::from_be_bytes(digits(known.get(3..35)?)?);
        let span = u64::from_be_bytes(digits(known.get(36..52)?)?);
        let [flags] = digits(known.get(53..)?)?;
        // Nothing but zeros is nobody's id.
        (trace != 0 && span != 0).then_some(Self { trace, span, flags })
    }

    pub fn trace(&self) -> u128 {
        self.trace
    }

    pub fn span(&self) -> u64 {
        self.span
    }

    pub fn flags(&self) -> u8 {
        self.flags
    }
}

/// `N` bytes from twice as many digits.
fn digits<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let &[high, low] = pair else { return None };
        *byte = digit(high)? << 4 | digit(low)?;
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
