//! The answer to one POST: a JSON body, or a stream that is followed to its end and resumed where
//! it breaks.
//!
//! How long all of it may take is up to whoever asked.

use std::time::Duration;

use http::{HeaderValue, Method, Response};
use http_body_util::BodyExt as _;
use toolgate_types::step_aside;
use toolgate_wire::header::AnswerMedia;
use toolgate_wire::sse::{SseDecoder, SseItem};
use toolgate_wire::{Era, Message, ProtocolRevision};

use super::super::exchange::{AnswerBody, is_html, media, read_answer};
use super::Streamable;
use crate::failure::RequestError;
use crate::http::HttpFailure;
use crate::http::PooledBody;
use crate::reply::ServerReply;
use crate::router::MessageRouter;
use crate::spill::AnswerSpill;

/// How much, and for how long, is read after an answer.
const DRAINED_BYTES: usize = 64 * 1024;
const DRAINED_FOR: Duration = Duration::from_secs(1);
/// How often in a row an attempt to pick a stream up again may fail.
const ATTEMPTS: usize = 5;
const DEFAULT_RETRY: Duration = Duration::from_secs(1);
const SHORTEST_RETRY: Duration = Duration::from_millis(50);
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// How a stream ended before the answer came.
pub(super) struct BrokenStream {
    pub(super) last_event_id: Option<String>,
    /// The pause that the server wants, if it said so.
    pub(super) retry: Option<Duration>,
}

impl Streamable {
    pub(super) async fn answer(
        &self,
        id: u64,
        response: Response<PooledBody>,
        revision: Option<ProtocolRevision>,
    ) -> Result<ServerReply, RequestError> {
        match media(&response) {
            AnswerMedia::Json => {
                let (limits, place) = (self.router.limits(), self.router.spill());
                match read_answer(response, limits, place).await? {
                    AnswerBody::Held(body) => {
                        step_aside(body.len()).await;
                        self.single(id, &body)
                    }
                    // What is too large is the answer, or as good as that.
                    AnswerBody::Spilled(spill) => Box::pin(spill.end(limits)).await.1,
                }
            }
            AnswerMedia::EventStream => Box::pin(self.streamed(id, response, revision)).await,
            AnswerMedia::Other if is_html(&response) => Err(RequestError::Html),
            AnswerMedia::Other => {
                Err(RequestError::Protocol("the answer is neither JSON nor a stream".to_owned()))
            }
        }
    }

    fn single(&self, id: u64, body: &[u8]) -> Result<ServerReply, RequestError> {
        match find(&self.router, id, body) {
            Some(reply) => reply,
            None => Err(RequestError::Protocol("the answer is to another request".to_owned())),
        }
    }

    async fn streamed(
        &self,
        id: u64,
        mut response: Response<PooledBody>,
        revision: Option<ProtocolRevision>,
    ) -> Result<ServerReply, RequestError> {
        let (mut last, mut retry) = (None, DEFAULT_RETRY);
        loop {
            let broken = match follow(&self.router, response, Some(id)).await {
                Ok(reply) => return reply,
                Err(broken) => broken,
            };
            last = broken.last_event_id.or(last);
            retry = broken.retry.unwrap_or(retry);
            response = match &last {
                // Only a stream with ids can be picked up where it broke, and only in the older era.
                Some(last) if revision.is_none_or(|revision| revision.era() == Era::Legacy) => {
                    self.resume(last, retry, revision).await?
                }
                _ => return Err(RequestError::Http(HttpFailure::Lost)),
            };
        }
    }

    async fn resume(
        &self,
        last: &str,
        retry: Duration,
        revision: Option<ProtocolRevision>,
    ) -> Result<Response<PooledBody>, RequestError> {
        let mut headers = self.conversation(revision);
        headers.last_event = HeaderValue::from_str(last).ok();
        let mut pause = retry;
        for _ in 0..ATTEMPTS {
            tokio::time::sleep(pause).await;
            match self.exchange.send(Method::GET, &headers, bytes::Bytes::new()).await {
                Ok(response) if response.status().is_success() => match media(&response) {
                    AnswerMedia::EventStream => return Ok(response),
                    _ => break,
                },
                Ok(response) if !response.status().is_server_error() => {
                    return Err(self.exchange.refusal(response, self.router.limits()).await);
                }
                // Asking again would only ask the provider again.
                Err(error @ RequestError::NoCredential(_)) => return Err(error),
                Ok(_) | Err(_) => pause = (pause * 2).min(LONGEST_RETRY),
            }
        }
        Err(RequestError::Http(HttpFailure::Lost))
    }
}

/// Reads a stream; the answer to `id` ends it, everything else goes to the router.
pub(super) async fn follow(
    router: &MessageRouter,
    response: Response<PooledBody>,
    id: Option<u64>,
) -> Result<Result<ServerReply, RequestError>, BrokenStream> {
    let (limits, place) = (router.limits(), router.spill());
    let mut decoder = match place {
        Some(_) => SseDecoder::following(limits.bytes),
        None => SseDecoder::new(limits.bytes),
    };
    let mut spill = None;
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        let mut input: &[u8] = &data;
        while let Some(item) = decoder.next(&mut input) {
            match (item, id) {
                // Only there to carry an id.
                (SseItem::Event(event), _) if event.data.is_empty() => {}
                (SseItem::Event(event), Some(id)) => {
                    step_aside(event.data.len()).await;
                    if let Some(reply) = find(router, id, event.data) {
                        drain(body);
                        return Ok(reply);
                    }
                }
                (SseItem::Event(event), None) => router.accept(event.data, None),
                // On the stream of one request, what is too large is its answer or as good as that.
                (SseItem::TooLarge, Some(_)) => return Ok(Err(RequestError::too_large())),
                (SseItem::TooLarge, None) => router.too_long(&[]),
                (SseItem::Part(bytes), _) => {
                    if let Some(place) = place {
                        let begin = || AnswerSpill::begin(place, limits);
                        spill.get_or_insert_with(begin).feed(bytes).await;
                    }
                }
                (SseItem::PartsEnd, id) => match (spill.take(), id) {
                    (Some(spill), Some(_)) => {
                        drain(body);
                        return Ok(spill.end(limits).await.1);
                    }
                    (Some(spill), None) => router.accept_spilled(spill).await,
                    (None, _) => {}
                },
            }
        }
    }
    let retry = decoder.retry_ms().map(Duration::from_millis);
    Err(BrokenStream {
        last_event_id: decoder.last_event_id().map(str::to_owned),
        retry: retry.map(|retry| retry.clamp(SHORTEST_RETRY, LONGEST_RETRY)),
    })
}

/// Reads the little that follows an answer: only a body that was read to its end lets its
/// connection be used again.
fn drain(mut body: PooledBody) {
    tokio::spawn(async move {
        let reading = async {
            let mut left = DRAINED_BYTES;
            while let Some(Ok(frame)) = body.frame().await {
                left = left.saturating_sub(frame.data_ref().map_or(0, bytes::Bytes::len));
                if left == 0 {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(DRAINED_FOR, reading).await;
    });
}

/// The reply in these bytes if it is the one to `id`; other messages are passed on.
fn find(
    router: &MessageRouter,
    id: u64,
    bytes: &[u8],
) -> Option<Result<ServerReply, RequestError>> {
    match Message::parse(bytes, router.limits()) {
        Ok(Message::Response(response))
            if response.id.as_ref().is_none_or(|own| own.as_u64() == Some(id)) =>
        {
            Some(Ok(ServerReply::of(&response)))
        }
        // A response that cannot be read ends this request and no other.
        Err(rejected) if rejected.kind == Some(toolgate_wire::MessageKind::Response) => {
            Some(Err(RequestError::Protocol(rejected.to_string())))
        }
        _ => {
            router.accept(bytes, Some(id));
            None
        }
    }
}
