//! One HTTP request and its response, with the entry's own headers and only same-origin redirects.

use std::io::Write as _;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Body as _;
use toolgate_auth::login::BearerChallenge;
use toolgate_wire::header::AnswerMedia;
use toolgate_wire::{Message, MessageLimits};

use super::message_headers::MessageHeaders;
use crate::credential::Credential;
use crate::failure::RequestError;
use crate::http::{HttpClient, PooledBody};
use crate::reply::ServerReply;
use crate::spill::AnswerSpill;
use crate::spilled_answer::SpillPlace;

const REDIRECTS: usize = 3;

/// How to reach one endpoint.
#[derive(Clone)]
pub(crate) struct HttpExchange {
    pub(crate) client: HttpClient,
    pub(crate) uri: Uri,
    /// The headers of the entry, credentials among them.
    pub(crate) own: HeaderMap,
    /// Asked before each request; its word goes before the entry's own.
    pub(crate) credential: Option<Credential>,
}

impl HttpExchange {
    /// Sends it, and once more with another token where the first was refused and there is one.
    pub(crate) async fn send(
        &self,
        method: Method,
        headers: &MessageHeaders<'_>,
        body: Bytes,
    ) -> Result<Response<PooledBody>, RequestError> {
        let response = self.authorized(&method, headers, body.clone()).await?;
        let (Some(credential), true) = (&self.credential, wants_credential(&response)) else {
            return Ok(response);
        };
        let (status, challenge) = (response.status().as_u16(), challenge(&response));
        match credential.has_another(status, challenge.as_deref()).await {
            true => Box::pin(self.authorized(&method, headers, body)).await,
            false => Ok(response),
        }
    }

    async fn authorized(
        &self,
        method: &Method,
        headers: &MessageHeaders<'_>,
        body: Bytes,
    ) -> Result<Response<PooledBody>, RequestError> {
        let authorization = match &self.credential {
            Some(credential) if !credential.is_absent() => credential.authorization().await?,
            _ => None,
        };
        let mut uri = self.uri.clone();
        for _ in 0..=REDIRECTS {
            let mut request = self.request(method, &uri, headers, body.clone());
            if let Some(authorization) = &authorization {
                request.headers_mut().insert(header::AUTHORIZATION, authorization.clone());
            }
            let response = self.client.send(request).await?;
            match redirect(&response, &uri) {
                Some(target) => uri = target?,
                None => return Ok(response),
            }
        }
        Err(RequestError::Protocol("too many redirects".to_owned()))
    }

    fn request(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &MessageHeaders<'_>,
        body: Bytes,
    ) -> Request<Full<Bytes>> {
        let length = length_of(&body);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method.clone();
        *request.uri_mut() = uri.clone();
        let all = request.headers_mut();
        // Once, with room for what the client adds itself.
        all.reserve(self.own.len() + headers.most() + 6);
        all.extend(self.own.clone());
        let accept = match *method {
            Method::GET => "text/event-stream",
            _ => "application/json, text/event-stream",
        };
        all.insert(header::ACCEPT, HeaderValue::from_static(accept));
        if method == Method::POST {
            all.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            // In place of what an entry says: another length would cut the message or run into the next.
            if let Some(length) = length {
                all.insert(header::CONTENT_LENGTH, length);
            }
        }
        headers.put_into(all);
        request
    }

    /// Whether it refuses for want of what the login has.
    fn has_granted(&self, response: &Response<PooledBody>) -> bool {
        let credential = self.credential.as_ref();
        response.status() == StatusCode::FORBIDDEN
            && credential.is_some_and(|one| one.has_granted(challenge(response).as_deref()))
    }

    /// Why a response that is no success is none.
    pub(crate) async fn refusal(
        &self,
        response: Response<PooledBody>,
        limits: &MessageLimits,
    ) -> RequestError {
        let status = response.status();
        if wants_credential(&response) && !self.has_granted(&response) {
            let (status, challenge) = (status.as_u16(), challenge(&response));
            return RequestError::Unauthorized { status, challenge };
        }
        let html = is_html(&response);
        let body = read_body(response, limits).await.unwrap_or_default();
        // The protocol has its own errors inside HTTP errors; they say more.
        if let Ok(Message::Response(response)) = Message::parse(&body, limits)
            && let ServerReply::Error(error) = ServerReply::of(&response)
        {
            return RequestError::Rejected { status: status.as_u16(), error };
        }
        match html && status != StatusCode::NOT_FOUND {
            true => RequestError::Html,
            false => RequestError::Status { status: status.as_u16() },
        }
    }
}

/// As the client would write it itself, in half as many pieces of memory.
fn length_of(body: &Bytes) -> Option<HeaderValue> {
    let mut digits = [0; 20];
    let mut rest = digits.as_mut_slice();
    write!(rest, "{}", body.len()).ok()?;
    let unused = rest.len();
    HeaderValue::from_bytes(digits.get(..digits.len() - unused)?).ok()
}

/// Whether a request was refused for want of a token, or of a better one.
fn wants_credential(response: &Response<PooledBody>) -> bool {
    let is_scope = || {
        let challenge = challenge(response)?;
        Some(BearerChallenge::parse(&challenge)?.is_insufficient_scope())
    };
    match response.status() {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => is_scope().unwrap_or(false),
        _ => false,
    }
}

/// All that it says about what it wants.
fn challenge(response: &Response<PooledBody>) -> Option<String> {
    let all = response.headers().get_all(header::WWW_AUTHENTICATE);
    let all: Vec<&str> = all.iter().filter_map(|value| value.to_str().ok()).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

pub(crate) fn media(response: &Response<PooledBody>) -> AnswerMedia {
    let value = response.headers().get(header::CONTENT_TYPE);
    AnswerMedia::of(value.map(HeaderValue::as_bytes).unwrap_or_default())
}

pub(crate) fn is_html(response: &Response<PooledBody>) -> bool {
    let value = response.headers().get(header::CONTENT_TYPE);
    value.is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}

/// The whole body, as far as it is allowed to be long.
pub(crate) async fn read_body(
    response: Response<PooledBody>,
    limits: &MessageLimits,
) -> Result<Bytes, RequestError> {
    match Limited::new(response.into_body(), limits.bytes).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(RequestError::too_large())
        }
        Err(_) => Err(RequestError::Http(crate::HttpFailure::Lost)),
    }
}

/// A body that may be longer than what is held of one.
pub(crate) enum AnswerBody {
    Held(Bytes),
    Spilled(Box<AnswerSpill>),
}

/// The same where there is a place for what is longer.
pub(crate) async fn read_answer(
    response: Response<PooledBody>,
    limits: &MessageLimits,
    place: Option<&SpillPlace>,
) -> Result<AnswerBody, RequestError> {
    let Some(place) = place else {
        return Ok(AnswerBody::Held(read_body(response, limits).await?));
    };
    let (mut body, mut held) = (response.into_body(), Vec::new());
    let mut spill = None;
    while let Some(frame) = body.frame().await {
        let lost = |_| RequestError::Http(crate::HttpFailure::Lost);
        let Ok(data) = frame.map_err(lost)?.into_data() else { continue };
        if spill.is_none() && held.len() + data.len() <= limits.bytes {
            // As it came, where it came in one piece.
            if held.is_empty() && body.is_end_stream() {
                return Ok(AnswerBody::Held(data));
            }
            held.extend_from_slice(&data);
            continue;
        }
        let spill = spill.get_or_insert_with(|| AnswerSpill::begin(place, limits));
        Box::pin(spill.feed(&std::mem::take(&mut held))).await;
        Box::pin(spill.feed(&data)).await;
    }
    Ok(match spill {
        Some(spill) => AnswerBody::Spilled(Box::new(spill)),
        None => AnswerBody::Held(held.into()),
    })
}

/// Where a redirect leads, if the response is one. Credentials go nowhere but to their own origin.
fn redirect(response: &Response<PooledBody>, from: &Uri) -> Option<Result<Uri, RequestError>> {
    let followed = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    if !followed.contains(&response.status()) {
        return None;
    }
    let refused = |why: &str| Some(Err(RequestError::Protocol(format!("a redirect {why}"))));
    let Some(target) = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok())
    else {
        return refused("without a target");
    };
    let base = url::Url::parse(&from.to_string()).ok();
    let Some((base, target)) = base.and_then(|base| base.join(target).ok().map(|to| (base, to)))
    else {
        return refused("to something that is no URL");
    };
    if base.origin() != target.origin() {
        return refused("to another origin is not followed");
    }
    match target.as_str().parse() {
        Ok(uri) => Some(Ok(uri)),
        Err(_) => refused("to something that is no URL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::HttpSettings;

    #[test]
    fn no_entry_says_how_long_a_message_is() {
        let uri = Uri::from_static("http://127.0.0.1:1/mcp");
        let client = HttpClient::new(&uri, &HttpSettings::default()).unwrap();
        let own = HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from_static("5"))]);
        let exchange = HttpExchange { client, uri: uri.clone(), own, credential: None };
        for length in [0, 9, 10, 12_345] {
            let body = Bytes::from(vec![b' '; length]);
            let headers = MessageHeaders::default();
            let request = exchange.request(&Method::POST, &uri, &headers, body);
            let told: Vec<_> = request.headers().get_all(header::CONTENT_LENGTH).iter().collect();
            assert_eq!(told, [length.to_string().as_str()]);
        }
    }
}
