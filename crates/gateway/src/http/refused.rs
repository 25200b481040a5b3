//! A refusal as HTTP says it.

use http::{HeaderValue, Response, StatusCode, header};
use toolgate_wire::header::JSON;

use super::body::{ResponseBody, json};
use crate::refusal::{RefusalKind, RequestRefusal};
use crate::resource_metadata::{ChallengeReason, ResourceMetadata};

pub(super) fn status_of(kind: RefusalKind) -> StatusCode {
    match kind {
        RefusalKind::BadRequest => StatusCode::BAD_REQUEST,
        RefusalKind::Unauthorized | RefusalKind::InvalidToken => StatusCode::UNAUTHORIZED,
        RefusalKind::InsufficientScope | RefusalKind::Forbidden => StatusCode::FORBIDDEN,
        RefusalKind::NotFound => StatusCode::NOT_FOUND,
        RefusalKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        RefusalKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        RefusalKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalKind::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        RefusalKind::TooSlow => StatusCode::REQUEST_TIMEOUT,
        RefusalKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Why another token would help.
fn reason_of(kind: RefusalKind) -> Option<ChallengeReason> {
    match kind {
        RefusalKind::Unauthorized => Some(ChallengeReason::NoToken),
        RefusalKind::InvalidToken => Some(ChallengeReason::InvalidToken),
        RefusalKind::InsufficientScope => Some(ChallengeReason::InsufficientScope),
        _ => None,
    }
}

impl RequestRefusal {
    /// As the whole of an answer, after which the connection is closed.
    pub(super) fn as_last_words(&self) -> Vec<u8> {
        let body = self.written();
        let head = format!(
            "HTTP/1.1 {}\r\ncontent-type: {JSON}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            status_of(self.kind),
            body.len(),
        );
        [head.into_bytes(), body].concat()
    }

    /// With where to log in, where that is the way to be let in.
    pub(crate) fn into_response(
        self,
        resource: Option<&ResourceMetadata>,
    ) -> Response<ResponseBody> {
        let mut response = json(self.written());
        *response.status_mut() = status_of(self.kind);
        let headers = response.headers_mut();
        match self.kind {
            RefusalKind::MethodNotAllowed => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
            }
            kind => {
                if let Some(reason) = reason_of(kind) {
                    let plain = HeaderValue::from_static("Bearer");
                    let challenge = resource.map_or(plain, |resource| resource.challenge(reason));
                    headers.insert(header::WWW_AUTHENTICATE, challenge);
                }
            }
        }
        response
    }
}
