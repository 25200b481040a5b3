//! A connection that carries one request at a time, driven by the task that uses it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::thread::{self, ThreadId};

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::HttpFailure;

pub(crate) type RequestBody = Full<Bytes>;

/// Ready when the connection is over.
type ConnectionDriver = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

pub(super) struct OwnConnection {
    sender: http1::SendRequest<RequestBody>,
    /// Gone when it is over.
    driver: Option<ConnectionDriver>,
    home: ConnectionHome,
    /// What its requests say whom they are for, from the first one on.
    pub(super) host: Option<HeaderValue>,
}

/// Where a connection is used without waking another thread: on the one that it was made on, where that has a
/// runtime of its own, and else anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionHome(Option<ThreadId>);

impl ConnectionHome {
    pub(super) fn here() -> Self {
        let runtime = Handle::try_current().map(|runtime| runtime.runtime_flavor());
        let is_own = runtime.is_ok_and(|flavor| flavor == RuntimeFlavor::CurrentThread);
        Self(is_own.then(|| thread::current().id()))
    }
}

/// Why there is no response.
pub(super) enum Unsent {
    /// The connection was closed before anything was written: here it is again.
    Given(Box<Request<RequestBody>>),
    Failed(HttpFailure),
}

impl OwnConnection {
    pub(super) async fn begin<S>(stream: S) -> Result<Self, HttpFailure>
    where
        S: Read + Write + Unpin + Send + 'static,
    {
        let begun = http1::handshake(stream).await;
        let (sender, driver) = begun.map_err(|error| HttpFailure::of(&error))?;
        let (driver, home): (ConnectionDriver, _) = (Box::pin(driver), ConnectionHome::here());
        Ok(Self { sender, driver: Some(driver), home, host: None })
    }

    pub(super) fn home(&self) -> ConnectionHome {
        self.home
    }

    /// Looks what came since it was used: that it was closed is known then.
    pub(super) fn is_open(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        self.driver.is_some() && !self.sender.is_closed()
    }

    /// Does what there is to do; whoever waits for anything on it calls this first.
    pub(super) fn drive(&mut self, context: &mut Context<'_>) {
        if let Some(driver) = &mut self.driver
            && driver.as_mut().poll(context).is_ready()
        {
            self.driver = None;
        }
    }

    pub(super) async fn send(
        mut self,
        request: Request<RequestBody>,
    ) -> Result<(Response<Incoming>, Self), Unsent> {
        let ready = poll_fn(|context| {
            self.drive(context);
            self.sender.poll_ready(context)
        });
        if ready.await.is_err() {
            return Err(Unsent::Given(Box::new(request)));
        }
        let mut sent = std::pin::pin!(self.sender.try_send_request(request));
        let mut driver = self.driver.take();
        let sent = poll_fn(|context| {
            if let Some(driving) = &mut driver
                && driving.as_mut().poll(context).is_ready()
            {
                driver = None;
            }
            sent.as_mut().poll(context)
        });
        match sent.await {
            Ok(response) => Ok((response, Self { driver, ..self })),
            Err(mut failed) => Err(match failed.take_message() {
                Some(request) => Unsent::Given(Box::new(request)),
                None => Unsent::Failed(HttpFailure::of(failed.error())),
            }),
        }
    }
}
