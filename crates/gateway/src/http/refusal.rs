//! Requests that are not carried out, as HTTP and JSON-RPC both say it.

use std::fmt::Display;

use http::{HeaderValue, Response, StatusCode, header};
use serde_json::value::RawValue;
use toolgate_wire::header::JSON;
use toolgate_wire::{ErrorCode, IdBuf, write_error};

use super::{Body, json};
use crate::place::NoPlace;

/// Why a request is refused before anything is done for it.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    code: ErrorCode,
    message: String,
    id: Option<IdBuf>,
    data: Option<Box<RawValue>>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: ErrorCode, message: impl Display) -> Self {
        Self { status, code, message: message.to_string(), id: None, data: None }
    }

    /// The message itself is wrong.
    pub(crate) fn bad_request(code: ErrorCode, message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// The answer to this request.
    pub(crate) fn to(self, id: Option<IdBuf>) -> Self {
        Self { id, ..self }
    }

    pub(crate) fn with_data(self, data: Option<Box<RawValue>>) -> Self {
        Self { data, ..self }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::INVALID_REQUEST, "there is nothing here")
    }

    pub(crate) fn forbidden(why: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorCode::INVALID_REQUEST, why)
    }

    pub(crate) fn unauthorized(why: impl Display) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::INVALID_REQUEST, why)
    }

    pub(crate) fn unavailable(why: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::INTERNAL_ERROR, why)
    }

    pub(crate) fn draining() -> Self {
        Self::unavailable("this gateway is about to end")
    }

    /// There is no room for this connection among those of its kind.
    pub(crate) fn too_many() -> Self {
        Self::unavailable("too many connections are open")
    }

    /// A connection that has not shown a token in time.
    pub(crate) fn too_slow() -> Self {
        let why = "no request with a token came in time";
        Self::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::INVALID_REQUEST, why)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let why = "only POST, GET and DELETE mean something here";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::INVALID_REQUEST, why)
    }

    /// A session that does not exist, or not for this caller: one cannot tell which.
    pub(crate) fn no_session() -> Self {
        let why = "there is no such session; begin a new one with `initialize`";
        Self::new(StatusCode::NOT_FOUND, ErrorCode::INVALID_REQUEST, why)
    }

    /// As a message.
    pub(crate) fn written(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.message.len() + 80);
        let id = self.id.as_ref().map(IdBuf::as_id);
        write_error(&mut bytes, id, self.code, &self.message, self.data.as_deref());
        bytes
    }

    /// As the whole of an answer, after which the connection is closed.
    pub(super) fn as_last_words(&self) -> Vec<u8> {
        let body = self.written();
        let head = format!(
            "HTTP/1.1 {}\r\ncontent-type: {JSON}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.status,
            body.len(),
        );
        [head.into_bytes(), body].concat()
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = json(self.written());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
            }
            _ => {}
        }
        response
    }
}

impl From<NoPlace> for Refusal {
    fn from(none: NoPlace) -> Self {
        match none {
            NoPlace::NotThere => Self::not_found(),
            NoPlace::Unavailable(why) => Self::unavailable(&why),
        }
    }
}
