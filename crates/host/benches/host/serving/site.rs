//! A server on a port of its own, with a thread of its own: Streamable HTTP, answered with JSON.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::Server;
use crate::Failure;

/// A running site. It ends with the program.
pub(crate) struct Site {
    pub(crate) url: String,
    first_call: Arc<Mutex<Option<Posted>>>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Site {
    pub(crate) fn open(server: Server) -> Result<Self, Failure> {
        let (tell, port) = mpsc::channel();
        let first_call = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&first_call);
        std::thread::spawn(move || -> Result<(), Failure> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
                tell.send(listener.local_addr()?.port())?;
                accept(listener, Arc::new(server), seen).await
            })
        });
        Ok(Self { url: format!("http://127.0.0.1:{}/mcp", port.recv()?), first_call })
    }

    /// The first call that came.
    pub(crate) fn first_call(&self) -> Result<Posted, Failure> {
        let seen = self.first_call.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone().ok_or_else(|| "nobody called".into())
    }
}

async fn accept(
    listener: TcpListener,
    server: Arc<Server>,
    seen: Arc<Mutex<Option<Posted>>>,
) -> Result<(), Failure> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (server, seen) = (Arc::clone(&server), Arc::clone(&seen));
        tokio::spawn(async move {
            let service = service_fn(|request| respond(request, &server, &seen));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(
    request: Request<Incoming>,
    server: &Server,
    seen: &Mutex<Option<Posted>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) if head.method == Method::POST => body.to_bytes(),
        _ => return Ok(empty(StatusCode::METHOD_NOT_ALLOWED)),
    };
    let message = str::from_utf8(&body).unwrap_or_default();
    let Some(answer) = server.answer(message) else { return Ok(empty(StatusCode::ACCEPTED)) };
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.is_none() && message.contains("tools/call") {
        *seen = Some(Posted { headers: head.headers, body: body.clone() });
    }
    let mut response = Response::new(Full::from(answer));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
