//! A result as it came, and behind it what only this gateway says: nearly every one of the newer era. It is
//! not read for that, only looked at.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolgate_wire::outcome::ResultGlance;
use toolgate_wire::{MessageIdBuf, Payload, RawObject, meta, result_length, write_result};

use super::own_words::ONLY_SERVER_INFO;

/// What this gateway says of itself, and the end of a result.
static LAST_MEMBER: LazyLock<String> =
    LazyLock::new(|| format!(r#","{}":{}}}"#, meta::META, &**ONLY_SERVER_INFO));

/// Such a result.
pub(super) struct SignedResult<'a> {
    /// All of it but the closing brace.
    own: &'a str,
    kind: &'static str,
}

impl<'a> SignedResult<'a> {
    /// Nothing where what is to be said may be there already, or where no member is before it.
    pub(super) fn of(result: &'a RawValue) -> Option<Self> {
        let glance = ResultGlance::at(result);
        if !glance.is_complete() || RawObject::may_have(result, meta::META) {
            return None;
        }
        let own = result.get().strip_suffix('}')?;
        let kind = match glance.begins_complete() {
            true => "",
            false => r#","resultType":"complete""#,
        };
        let has_members = own.strip_prefix('{')?.contains('"');
        has_members.then_some(Self { own, kind })
    }

    pub(super) fn answer(&self, id: &MessageIdBuf) -> Vec<u8> {
        let length = self.own.len() + self.kind.len() + LAST_MEMBER.len();
        // Without room behind it, it is sent as it is.
        let mut out = Vec::with_capacity(result_length(id.as_id(), length));
        write_result(&mut out, id.as_id(), self);
        out
    }
}

impl Payload for SignedResult<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        for part in [self.own, self.kind, &LAST_MEMBER] {
            out.extend_from_slice(part.as_bytes());
        }
    }
}
