//! The members of a JSON object, written one after the other behind what is there already.
//!
//! Two of these are written for every call, and nearly all of their texts need no escape: those are copied
//! as they are once that was seen, and everything else is left to `serde_json`.

use serde::Serialize;

/// An object that is being written; [`Self::end`] closes it.
pub(crate) struct JsonMembers<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> JsonMembers<'a> {
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    /// Where the value of this member is written. Names are ours and need no escape.
    fn named(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        match needs_escape(text) {
            true => self.json(name, &text),
            false => self.plain_text(name, text),
        }
    }

    /// A text of ours, as a word or a digest in hexadecimal: there is nothing in it to escape.
    pub(crate) fn plain_text(&mut self, name: &str, text: &str) {
        let out = self.named(name);
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    }

    pub(crate) fn some_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(crate) fn some_plain_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.plain_text(name, text);
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: u64) {
        self.json(name, &number);
    }

    /// Anything that cannot fail to be written: texts, numbers, raw JSON, and structs of those.
    pub(crate) fn json(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        let out = self.named(name);
        let start = out.len();
        if serde_json::to_writer(&mut *out, value).is_err() {
            out.truncate(start);
            out.extend_from_slice(b"null");
        }
    }

    pub(crate) fn object(&mut self, name: &str, write: impl FnOnce(&mut JsonMembers<'_>)) {
        let mut inner = JsonMembers::begin(self.named(name));
        write(&mut inner);
        inner.end();
    }
}

/// Looked at to its end, whatever is found: so it is several bytes at a time.
fn needs_escape(text: &str) -> bool {
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    text.bytes().fold(false, |seen, byte| seen | is_special(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_serde_would_write() {
        let texts = ["", "plain text", "é", "a\"b", "a\\b", "line\n", "\u{1f}", "\u{7f}\u{2028}"];
        for text in texts {
            let mut out = Vec::new();
            let mut members = JsonMembers::begin(&mut out);
            members.text("text", text);
            members.plain_text("plain", "0123abc");
            members.number("number", u64::MAX);
            members.object("inner", |inner| inner.text("again", text));
            members.object("empty", |_| {});
            members.end();
            let expected = format!(
                r#"{{"text":{0},"plain":"0123abc","number":18446744073709551615,"inner":{{"again":{0}}},"empty":{{}}}}"#,
                serde_json::to_string(text).unwrap()
            );
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
