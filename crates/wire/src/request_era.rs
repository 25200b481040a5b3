//! What a request by itself says of its era.

use toolgate_types::Era;

use crate::envelope::Request;
use crate::{meta, method};

impl Request<'_> {
    /// What a request by itself says of its era: `initialize` opens a legacy session, a protocol
    /// version in `_meta` makes it modern. Any other request belongs to the session it came on.
    pub fn era(&self) -> Option<Era> {
        if self.method == method::INITIALIZE {
            return Some(Era::Legacy);
        }
        self.meta.as_ref()?.get(meta::PROTOCOL_VERSION).map(|_| Era::Modern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, MessageLimits};

    fn era_of(json: &str) -> Option<Era> {
        match Message::parse(json.as_bytes(), &MessageLimits::DEFAULT).unwrap() {
            Message::Request(request) => request.era(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_says_its_era_or_leaves_it_to_the_session() {
        let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert_eq!(era_of(modern), Some(Era::Modern));
        let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
        assert_eq!(era_of(initialize), Some(Era::Legacy));
        for open in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#,
        ] {
            assert_eq!(era_of(open), None, "{open}");
        }
    }
}
