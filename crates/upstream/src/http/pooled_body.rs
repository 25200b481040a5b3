//! The body of a response, which has its connection with it: read to the end it goes back to the pool, and
//! dropped before that it is closed.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::idle_connections::{IdleConnections, Origin};
use super::own_connection::OwnConnection;

pub(crate) struct PooledBody {
    body: Incoming,
    /// None where the connection serves others too, or went back already.
    connection: Option<BodyConnection>,
}

struct BodyConnection {
    connection: OwnConnection,
    idle: Arc<IdleConnections>,
    origin: Origin,
}

impl PooledBody {
    pub(super) fn shared(body: Incoming) -> Self {
        Self { body, connection: None }
    }

    pub(super) fn own(
        body: Incoming,
        connection: OwnConnection,
        (idle, origin): (Arc<IdleConnections>, Origin),
    ) -> Self {
        let mut body = Self { body, connection: Some(BodyConnection { connection, idle, origin }) };
        body.give_back();
        body
    }

    /// Once there is nothing more to read.
    fn give_back(&mut self) {
        if self.body.is_end_stream()
            && let Some(BodyConnection { connection, idle, origin }) = self.connection.take()
        {
            idle.keep(connection, origin);
        }
    }
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        let mut frame = Pin::new(&mut this.body).poll_frame(context);
        // Asked for first, so that the connection knows that somebody reads.
        if let (Poll::Pending, Some(own)) = (&frame, &mut this.connection) {
            own.connection.drive(context);
            frame = Pin::new(&mut this.body).poll_frame(context);
        }
        if let Poll::Ready(None) = &frame
            && let Some(BodyConnection { connection, idle, origin }) = this.connection.take()
        {
            idle.keep(connection, origin);
        }
        this.give_back();
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
