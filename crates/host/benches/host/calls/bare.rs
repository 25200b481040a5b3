//! The bare call: a pooled client that posts bytes and reads the answer to its end, and no more.

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::Failure;
use crate::serving::site::Posted;

/// A client with what it posts.
pub(crate) struct Bare {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
    posted: Posted,
}

impl Bare {
    /// Posts again what somebody posted there.
    pub(crate) fn new(url: &str, posted: Posted) -> Result<Self, Failure> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, uri: url.parse()?, posted })
    }

    pub(crate) async fn post(&self) -> Result<(), Failure> {
        let mut request = Request::post(&self.uri).body(Full::new(self.posted.body.clone()))?;
        *request.headers_mut() = self.posted.headers.clone();
        let response = self.client.request(request).await?;
        let is_good = response.status().is_success();
        let body = response.into_body().collect().await?.to_bytes();
        match is_good && body.len() > 1000 {
            true => Ok(()),
            false => Err("the bare call was not answered".into()),
        }
    }
}
