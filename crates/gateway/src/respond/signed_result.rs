//! A result as it came, and behind it what only this gateway says: nearly every one of the newer era. It is
//! not read for that, only looked at.

use std::sync::LazyLock;

use serde_json::value::RawValue;
use toolgate_wire::outcome::ResultGlance;
use toolgate_wire::{MessageIdBuf, Payload, RawObject, meta, result_length, write_result};

use super::result::ONLY_SERVER_INFO;

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

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use toolgate_wire::MessageId;

    use super::*;
    use crate::respond::result::{modern, raw};

    fn signed(result: &str) -> Option<Value> {
        let (id, result) = (MessageId::from(7).to_buf(), raw(result.to_owned()));
        let quick = SignedResult::of(&result)?.answer(&id);
        assert_eq!(quick.capacity(), quick.len(), "sent as it is");
        let quick: Value = serde_json::from_slice(&quick).unwrap();
        let read: Value = serde_json::from_slice(&modern(&id, &result, None)).unwrap();
        assert_eq!(quick, read, "{result}");
        Some(quick["result"].clone())
    }

    #[test]
    fn what_is_only_looked_at_becomes_what_reading_it_would_make_of_it() {
        for usual in [
            r#"{"content":[]}"#,
            r#"{ "content" : [ ] , "isError" : false }"#,
            r#"{"resultType":"complete","content":[{"type":"text","text":"a } \" b"}]}"#,
            r#"{"resultType":"complete"}"#,
        ] {
            let result = signed(usual).expect(usual);
            assert_eq!(result["resultType"], "complete", "{usual}");
            assert_eq!(result["_meta"][meta::SERVER_INFO]["name"], "toolgate", "{usual}");
        }
    }

    #[test]
    fn what_may_say_something_of_it_already_is_read() {
        for other in [
            r#"{}"#,
            r#"{ }"#,
            r#"{"content":[],"_meta":{"mine":1}}"#,
            r#"{"content":[],"\u005fmeta":{"mine":1}}"#,
            r#"{"content":[],"resultType":"complete"}"#,
            r#"{"resultType":"input_required","requestState":"s"}"#,
            r#"{"resultType":"complete\u0021"}"#,
            r#"{"content":[{"type":"text","text":"its _meta"}]}"#,
            "null",
            r#""{}""#,
            "[]",
        ] {
            assert_eq!(signed(other), None, "{other}");
        }
    }
}
