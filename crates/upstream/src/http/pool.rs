//! The connections of one client: kept while they are idle, looked at before they are used again.
//!
//! A connection of HTTP/1.1 is driven by whoever uses it, within the request's own task: no task stands
//! between, so a request is never handed to another thread. One of HTTP/2 carries many requests at once
//! and has a task. A connection that closes is tried again elsewhere only where nothing of the request was
//! written.

use std::sync::Arc;

use http::uri::Authority;
use http::{HeaderValue, Request, Response, Uri, header};
use hyper::client::conn::http2;
use parking_lot::Mutex;

use super::HttpFailure;
use super::connect::{BegunConnection, Dialler};
use super::idle_connections::{IdleConnections, Origin};
use super::own_connection::{OwnConnection, RequestBody, Unsent};
use super::pooled_body::PooledBody;

pub(super) struct ConnectionPool {
    dialler: Dialler,
    idle: Arc<IdleConnections>,
    shared: Mutex<Vec<(Origin, http2::SendRequest<RequestBody>)>>,
}

impl ConnectionPool {
    pub(super) fn of(dialler: Dialler) -> Self {
        Self { dialler, idle: Arc::default(), shared: Mutex::default() }
    }

    pub(super) async fn send(
        &self,
        request: Request<RequestBody>,
    ) -> Result<Response<PooledBody>, HttpFailure> {
        let origin = origin_of(request.uri())?;
        let mut request = request;
        if let Some(mut shared) = self.shared(&origin) {
            return match shared.try_send_request(request).await {
                Ok(response) => Ok(response.map(PooledBody::shared)),
                // It closed before anything was written: as if it had not been there.
                Err(mut failed) => match failed.take_message() {
                    Some(unsent) => Box::pin(self.send_anew(origin, unsent)).await,
                    None => Err(HttpFailure::of(failed.error())),
                },
            };
        }
        while let Some(connection) = self.idle.take(&origin) {
            match self.send_on(connection, &origin, request).await {
                Ok(response) => return Ok(response),
                Err(Unsent::Given(unsent)) => request = *unsent,
                Err(Unsent::Failed(failure)) => return Err(failure),
            }
        }
        // Boxed: dialling is rare and large, and no request should carry the room for it.
        Box::pin(self.send_anew(origin, request)).await
    }

    async fn send_anew(
        &self,
        origin: Origin,
        request: Request<RequestBody>,
    ) -> Result<Response<PooledBody>, HttpFailure> {
        match self.dialler.begin(request.uri().clone()).await? {
            BegunConnection::Own(connection) => {
                match self.send_on(connection, &origin, request).await {
                    Ok(response) => Ok(response),
                    Err(Unsent::Given(_)) => Err(HttpFailure::Lost),
                    Err(Unsent::Failed(failure)) => Err(failure),
                }
            }
            BegunConnection::Shared(mut sender) => {
                self.shared.lock().push((origin, sender.clone()));
                let sent = sender.send_request(request).await;
                sent.map(|response| response.map(PooledBody::shared))
                    .map_err(|error| HttpFailure::of(&error))
            }
        }
    }

    async fn send_on(
        &self,
        mut connection: OwnConnection,
        origin: &Origin,
        request: Request<RequestBody>,
    ) -> Result<Response<PooledBody>, Unsent> {
        let request = in_origin_form(request, &mut connection.host);
        let (response, connection) = connection.send(request).await?;
        let place = (Arc::clone(&self.idle), origin.clone());
        Ok(response.map(|body| PooledBody::own(body, connection, place)))
    }

    fn shared(&self, origin: &Origin) -> Option<http2::SendRequest<RequestBody>> {
        let mut shared = self.shared.lock();
        if shared.is_empty() {
            return None;
        }
        shared.retain(|(_, sender)| !sender.is_closed());
        shared.iter().find(|(known, _)| known == origin).map(|(_, sender)| sender.clone())
    }
}

fn origin_of(uri: &Uri) -> Result<Origin, HttpFailure> {
    match (uri.scheme(), uri.authority()) {
        (Some(scheme), Some(authority)) => Ok((scheme.clone(), authority.clone())),
        _ => Err(HttpFailure::Setup("the address of the server is not whole".to_owned())),
    }
}

/// As HTTP/1.1 wants it: the path alone, and the host in a header, which is kept for the next.
fn in_origin_form(
    mut request: Request<RequestBody>,
    kept: &mut Option<HeaderValue>,
) -> Request<RequestBody> {
    let uri = request.uri();
    // Given back by a connection that closed, it is in this form already.
    let Some(authority) = uri.authority() else { return request };
    if !request.headers().contains_key(header::HOST) {
        *kept = kept.take().or_else(|| host_of(uri, authority));
        if let Some(host) = kept {
            let host = host.clone();
            request.headers_mut().insert(header::HOST, host);
        }
    }
    let path = request.uri().path_and_query().cloned();
    *request.uri_mut() = path.map_or_else(|| Uri::from_static("/"), Uri::from);
    request
}

fn host_of(uri: &Uri, authority: &Authority) -> Option<HeaderValue> {
    let standard = match uri.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let host = match uri.port_u16() {
        Some(port) if port != standard => HeaderValue::from_str(authority.as_str()),
        _ => HeaderValue::from_str(authority.host()),
    };
    host.ok()
}

#[cfg(test)]
mod tests;
