//! The older HTTP with SSE: one stream in, and messages out as POSTs to the address that the
//! stream's first event names.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Response, StatusCode, Uri};
use http_body_util::BodyExt as _;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use toolgate_wire::header::AnswerMedia;
use toolgate_wire::sse::{ENDPOINT, SseDecoder, SseItem};

use super::duplex::{self, MessageWriter};
use super::exchange::{HttpExchange, is_html, media};
use super::message_headers::MessageHeaders;
use crate::channel::{OutgoingMessage, ServerChannel};
use crate::failure::RequestError;
use crate::http::PooledBody;
use crate::reply::ServerReply;
use crate::router::MessageRouter;
use crate::spill::AnswerSpill;

/// A connection of the oldest kind.
pub(crate) struct LegacySse {
    /// To the address that the server named.
    post: HttpExchange,
    router: Arc<MessageRouter>,
    reading: AbortHandle,
}

impl LegacySse {
    /// Opens the stream and waits for the address.
    pub(crate) async fn open(
        exchange: HttpExchange,
        router: Arc<MessageRouter>,
    ) -> Result<Arc<Self>, RequestError> {
        let response = exchange.send(Method::GET, &MessageHeaders::default(), Bytes::new()).await?;
        if !response.status().is_success() {
            return Err(exchange.refusal(response, router.limits()).await);
        }
        match media(&response) {
            AnswerMedia::EventStream => {}
            _ if is_html(&response) => return Err(RequestError::Html),
            _ => return Err(RequestError::Protocol("this is no stream of events".to_owned())),
        }
        let (found, endpoint) = oneshot::channel();
        let reading = tokio::spawn(read(response, Arc::clone(&router), found)).abort_handle();
        let named = endpoint
            .await
            .map_err(|_| RequestError::Protocol("the stream named no address".to_owned()))?;
        let uri = same_origin(&exchange.uri, &named).inspect_err(|_| reading.abort())?;
        Ok(Arc::new(Self { post: HttpExchange { uri, ..exchange }, router, reading }))
    }
}

async fn read(
    response: Response<PooledBody>,
    router: Arc<MessageRouter>,
    found: oneshot::Sender<String>,
) {
    let mut found = Some(found);
    let place = router.spill().cloned();
    let mut decoder = match place {
        Some(_) => SseDecoder::following(router.limits().bytes),
        None => SseDecoder::new(router.limits().bytes),
    };
    let mut spill = None;
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        let mut input: &[u8] = &data;
        while let Some(item) = decoder.next(&mut input) {
            match item {
                SseItem::Event(event) if event.name == ENDPOINT => {
                    if let Some(found) = found.take() {
                        let _ = found.send(String::from_utf8_lossy(event.data).into_owned());
                    }
                }
                SseItem::Event(event) => router.accept(event.data, None),
                SseItem::TooLarge => router.too_long(&[]),
                SseItem::Part(bytes) => {
                    if let Some(place) = &place {
                        let begin = || AnswerSpill::begin(place, router.limits());
                        spill.get_or_insert_with(begin).feed(bytes).await;
                    }
                }
                SseItem::PartsEnd => {
                    if let Some(spill) = spill.take() {
                        router.accept_spilled(spill).await;
                    }
                }
            }
        }
    }
    router.close("the server closed its stream");
}

/// Messages, and the credentials that go with them, are posted to where the stream came from only.
fn same_origin(stream: &Uri, named: &str) -> Result<Uri, RequestError> {
    let bad =
        |why: &str| RequestError::Protocol(format!("the address that the stream named {why}"));
    let base = url::Url::parse(&stream.to_string()).map_err(|_| bad("cannot be used"))?;
    let target = base.join(named.trim()).map_err(|_| bad("is no URL"))?;
    if target.origin() != base.origin() {
        return Err(bad("is of another origin"));
    }
    target.as_str().parse().map_err(|_| bad("is no URL"))
}

#[async_trait]
impl MessageWriter for LegacySse {
    async fn write(&self, message: &OutgoingMessage) -> Result<(), RequestError> {
        let body = message.bytes.clone();
        message.use_consent()?;
        let response = self.post.send(Method::POST, &MessageHeaders::default(), body).await?;
        if response.status().is_success() || response.status() == StatusCode::ACCEPTED {
            return Ok(());
        }
        Err(self.post.refusal(response, self.router.limits()).await)
    }
}

#[async_trait]
impl ServerChannel for LegacySse {
    async fn call(&self, id: u64, message: OutgoingMessage) -> Result<ServerReply, RequestError> {
        duplex::call(&self.router, self, id, message).await
    }

    async fn send(&self, message: OutgoingMessage) -> Result<(), RequestError> {
        self.write(&message).await
    }

    fn drop_cancels(&self) -> bool {
        false
    }

    async fn close(&self, _: Duration) {
        self.reading.abort();
    }
}

impl Drop for LegacySse {
    fn drop(&mut self) {
        self.reading.abort();
    }
}
