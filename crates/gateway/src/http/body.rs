//! What is sent back: nothing, one document, or events as they happen.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};
use toolgate_types::since_1970;
use toolgate_wire::header::{ACCEL_BUFFERING, EVENT_STREAM, JSON};

use super::event_body::{EventBody, broke_off};
use crate::connection::UnderRequest;
use crate::long_reply::LongReading;
use crate::serve::ListPageAnswer;

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum ResponseBody {
    Empty,
    Whole(Bytes),
    /// A list, written while it is sent.
    Page(Box<PageBody>),
    /// What nobody holds, read while it is sent.
    Long(Box<LongReading>),
    Events(EventBody),
    /// The same, until then at the latest.
    Ending(EventBody, Pin<Box<Sleep>>),
}

/// A body on its way, and with it the request that it answers.
pub(crate) struct TrackedBody {
    body: ResponseBody,
    _under_way: UnderRequest,
}

impl TrackedBody {
    pub(super) fn new(body: ResponseBody, under_way: UnderRequest) -> Self {
        Self { body, _under_way: under_way }
    }
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A list on its way.
#[derive(Debug)]
pub(crate) struct PageBody {
    answer: ListPageAnswer,
    /// How much of it is still to come.
    left: u64,
}

impl ResponseBody {
    pub(crate) fn page(answer: ListPageAnswer) -> Self {
        let left = answer.len() as u64;
        Self::Page(Box::new(PageBody { answer, left }))
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.get_mut();
        if let Self::Ending(_, end) = body
            && end.as_mut().poll(context).is_ready()
        {
            *body = Self::Empty;
        }
        match body {
            Self::Empty => Poll::Ready(None),
            Self::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                *body = Self::Empty;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Self::Page(page) => {
                let piece = page.answer.piece();
                let bytes = piece.as_ref().map_or(0, |piece| piece.len() as u64);
                page.left = page.left.saturating_sub(bytes);
                if page.left == 0 {
                    *body = Self::Empty;
                }
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
            Self::Long(reading) => {
                let read = ready!(reading.poll_next(context)).transpose();
                let bytes = read.unwrap_or_else(|error| broke_off(&error));
                if bytes.is_none() || reading.left() == 0 {
                    *body = Self::Empty;
                }
                Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
            Self::Events(events) | Self::Ending(events, _) => {
                events.poll_bytes(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Page(page) => SizeHint::with_exact(page.left),
            Self::Long(reading) => SizeHint::with_exact(reading.left()),
            Self::Events(_) | Self::Ending(..) => SizeHint::default(),
        }
    }
}

/// One JSON document.
pub(crate) fn json(bytes: impl Into<Bytes>) -> Response<ResponseBody> {
    json_body(ResponseBody::Whole(bytes.into()))
}

pub(crate) fn json_body(body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

pub(crate) fn event_stream(events: EventBody) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Events(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

/// The same answer, whose stream ends when the credential does that it was opened with, in milliseconds
/// since 1970. Who comes back with another may pick it up.
pub(super) fn ending_at(
    response: Response<ResponseBody>,
    until: Option<u64>,
) -> Response<ResponseBody> {
    let Some(until) = until else { return response };
    let left = Duration::from_millis(until.saturating_sub(since_1970(SystemTime::now())));
    response.map(|body| match body {
        ResponseBody::Events(events) => ResponseBody::Ending(events, Box::pin(sleep(left))),
        other => other,
    })
}

/// An answer with nothing in it.
pub(crate) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Empty);
    *response.status_mut() = status;
    response
}
