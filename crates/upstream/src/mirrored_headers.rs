//! What a modern HTTP server wants to see of a message beside it, as its client's headers want it.

use http::{HeaderName, HeaderValue};
use toolgate_wire::header::{OutgoingHeader, encode_value};
use toolgate_wire::method;

use crate::failure::RequestError;

/// Of every request.
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Of one that is about something with a name.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Those of the call of a tool that has nothing annotated, which need not be read from its message. The version is
/// not among them: it goes with everything.
pub(crate) fn of_plain_call(tool: &str) -> Result<Vec<(HeaderName, HeaderValue)>, RequestError> {
    let name = HeaderValue::from_str(&encode_value(tool)).map_err(|_| unsendable(NAME.as_str()))?;
    Ok(vec![(METHOD, HeaderValue::from_static(method::TOOLS_CALL)), (NAME, name)])
}

/// One that was read from a message.
pub(crate) fn of(header: &OutgoingHeader<'_>) -> Result<(HeaderName, HeaderValue), RequestError> {
    let unsendable = || unsendable(&header.name);
    let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| unsendable())?;
    Ok((name, HeaderValue::from_str(&header.value).map_err(|_| unsendable())?))
}

fn unsendable(name: &str) -> RequestError {
    RequestError::Unsendable(format!("the header {name}"))
}

#[cfg(test)]
mod tests {
    use toolgate_wire::header::{ParamHeaders, request_headers};
    use toolgate_wire::{Message, MessageLimits, ProtocolRevision};

    use super::*;

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
            let read: Vec<_> = read.iter().map(|one| of(one).unwrap()).collect();
            let (version, rest) = read.split_first().unwrap();
            assert_eq!(version.0, "mcp-protocol-version");
            assert_eq!(rest, of_plain_call(tool).unwrap(), "{tool}");
        }
    }
}
