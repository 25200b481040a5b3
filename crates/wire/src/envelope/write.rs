//! Writing messages around payloads that are already JSON.
//!
//! Payload bytes are appended as they are. What comes out may contain newlines if a payload does:
//! ending a line for stdio is [`crate::line::end_line`].

use super::{ErrorObject, Message, Notification, Request, Response, ResponseOutcome};
use crate::json::{JsonError, write_string};
use crate::splice::Payload;
use crate::{ErrorCode, MessageId};

/// `{"jsonrpc":"2.0","id":…,"method":…,"params":…}`
pub fn write_request<P: Payload + ?Sized>(
    out: &mut Vec<u8>,
    id: MessageId<'_>,
    method: &str,
    params: Option<&P>,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    out.push(b',');
    write_call(out, method, params);
}

pub fn write_notification<P: Payload + ?Sized>(
    out: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    write_call(out, method, params);
}

pub fn write_result<P: Payload + ?Sized>(out: &mut Vec<u8>, id: MessageId<'_>, result: &P) {
    write_member_after_id(out, Some(id), "result");
    result.write(out);
    out.push(b'}');
}

/// How long the message is that has a result of so many bytes.
pub fn result_length(id: MessageId<'_>, result: usize) -> usize {
    r#"{"jsonrpc":"2.0","id":,"result":}"#.len() + id.length() + result
}

/// An error without an id answers a message whose id could not be read. JSON-RPC has `null` there,
/// but MCP allows no null ids and leaves it out.
pub fn write_error<P: Payload + ?Sized>(
    out: &mut Vec<u8>,
    id: Option<MessageId<'_>>,
    code: ErrorCode,
    message: &str,
    data: Option<&P>,
) {
    write_member_after_id(out, id, "error");
    out.extend_from_slice(br#"{"code":"#);
    code.write(out);
    out.extend_from_slice(br#","message":"#);
    write_string(out, message);
    if let Some(data) = data {
        out.extend_from_slice(br#","data":"#);
        data.write(out);
    }
    out.extend_from_slice(b"}}");
}

fn write_call<P: Payload + ?Sized>(out: &mut Vec<u8>, method: &str, params: Option<&P>) {
    out.extend_from_slice(br#""method":"#);
    write_string(out, method);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        params.write(out);
    }
    out.push(b'}');
}

fn write_member_after_id(out: &mut Vec<u8>, id: Option<MessageId<'_>>, member: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        out.extend_from_slice(br#","id":"#);
        id.write(out);
    }
    out.extend_from_slice(br#",""#);
    out.extend_from_slice(member.as_bytes());
    out.extend_from_slice(br#"":"#);
}

impl Request<'_> {
    /// The same request under another id.
    pub fn write(&self, out: &mut Vec<u8>, id: MessageId<'_>) {
        write_request(out, id, &self.method, self.params.as_ref());
    }
}

impl Notification<'_> {
    pub fn write(&self, out: &mut Vec<u8>) {
        write_notification(out, &self.method, self.params.as_ref());
    }
}

impl ResponseOutcome<'_> {
    /// The same outcome as the answer to this id. A flawed result is not passed on: nothing is
    /// written, and the flaw comes back.
    pub fn write(&self, out: &mut Vec<u8>, id: MessageId<'_>) -> Result<(), &JsonError> {
        match self {
            Self::Result(result) => write_result(out, id, result.raw()),
            Self::Error(ErrorObject { raw, .. }) => {
                write_member_after_id(out, Some(id), "error");
                raw.write(out);
                out.push(b'}');
            }
            Self::Flawed { flaw, .. } => return Err(flaw),
        }
        Ok(())
    }
}

impl Response<'_> {
    pub fn write(&self, out: &mut Vec<u8>, id: MessageId<'_>) -> Result<(), &JsonError> {
        self.outcome.write(out, id)
    }
}

impl Message<'_> {
    /// The same message, with another id if it has one.
    pub fn write(&self, out: &mut Vec<u8>, id: MessageId<'_>) -> Result<(), &JsonError> {
        match self {
            Self::Request(request) => request.write(out, id),
            Self::Notification(notification) => notification.write(out),
            Self::Response(response) => return response.write(out, id),
        }
        Ok(())
    }
}
