//! What a modern HTTP server wants to see of a message beside it, as its client's headers want it.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::value::RawValue;
use toolgate_wire::header::{OutgoingHeader, ParamHeaders, encode_value};
use toolgate_wire::method;

use crate::failure::RequestError;

/// Of every request.
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Of one that is about something with a name.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Whether the schema of a tool may want parameters in headers; the call of one that does not need not be read for it.
pub fn may_mirror_parameters(schema: &RawValue) -> bool {
    ParamHeaders::may_be_in(schema)
}

/// Those of one message. The version is not among those of a plain call: it goes with everything.
#[derive(Debug, Default)]
pub(crate) enum MirroredHeaders {
    #[default]
    None,
    /// Of the call of a tool that has nothing annotated, by its name; they need not be read from the message.
    PlainCall(HeaderValue),
    Read(Vec<(HeaderName, HeaderValue)>),
}

impl MirroredHeaders {
    pub(crate) fn of_plain_call(tool: &str) -> Result<Self, RequestError> {
        let name = HeaderValue::from_str(&encode_value(tool));
        name.map(Self::PlainCall).map_err(|_| unsendable(NAME.as_str()))
    }

    /// Those that were read from a message.
    pub(crate) fn read(headers: &[OutgoingHeader<'_>]) -> Result<Self, RequestError> {
        headers.iter().map(read).collect::<Result<_, _>>().map(Self::Read)
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::PlainCall(_) => 2,
            Self::Read(all) => all.len(),
        }
    }

    pub(crate) fn put_into(&self, all: &mut HeaderMap) {
        match self {
            Self::None => {}
            Self::PlainCall(name) => {
                all.insert(METHOD, HeaderValue::from_static(method::TOOLS_CALL));
                all.insert(NAME, name.clone());
            }
            Self::Read(read) => {
                for (name, value) in read {
                    all.insert(name.clone(), value.clone());
                }
            }
        }
    }
}

fn read(header: &OutgoingHeader<'_>) -> Result<(HeaderName, HeaderValue), RequestError> {
    let unsendable = || unsendable(&header.name);
    let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| unsendable())?;
    Ok((name, HeaderValue::from_str(&header.value).map_err(|_| unsendable())?))
}

fn unsendable(name: &str) -> RequestError {
    RequestError::Unsendable(format!("the header {name}"))
}

#[cfg(test)]
mod tests {
    use toolgate_wire::header::request_headers;
    use toolgate_wire::{Message, MessageLimits, ProtocolRevision};

    use super::*;

    fn put(mirrored: &MirroredHeaders) -> HeaderMap {
        let mut all = HeaderMap::new();
        mirrored.put_into(&mut all);
        all
    }

    #[test]
    fn a_plain_call_has_what_its_message_says() {
        for tool in ["echo", "süß", " odd\u{7f}", "=?base64?eA==?="] {
            let message = serde_json::json!({
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": { "name": tool, "arguments": {} },
            })
            .to_string();
            let message = Message::parse(message.as_bytes(), &MessageLimits::DEFAULT).unwrap();
            let none = ParamHeaders::NONE;
            let read = request_headers(&message, ProtocolRevision::NEWEST, &none).unwrap();
            let (version, rest) = read.split_first().unwrap();
            assert!(version.name.eq_ignore_ascii_case("mcp-protocol-version"));
            let of_call = MirroredHeaders::of_plain_call(tool).unwrap();
            assert_eq!(put(&MirroredHeaders::read(rest).unwrap()), put(&of_call), "{tool}");
            assert_eq!(put(&of_call).len(), of_call.count());
        }
    }
}
