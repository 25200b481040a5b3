//! The server on a port: Streamable HTTP, answered with JSON, or with events where it reports.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::Server;
use crate::Failure;

/// Serves until the process is ended; the first line of output says where.
pub(crate) fn run(server: Server) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        let server = Arc::new(server);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                let service = service_fn(|request| respond(request, &server));
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

async fn respond(
    request: Request<Incoming>,
    server: &Server,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) if head.method == Method::POST => body.to_bytes(),
        _ => return Ok(empty(StatusCode::METHOD_NOT_ALLOWED)),
    };
    let Some(said) = server.answer(&body) else { return Ok(empty(StatusCode::ACCEPTED)) };
    let (kind, text) = match said.report {
        None => ("application/json", said.answer),
        Some(report) => {
            let events = format!("data: {report}\n\ndata: {}\n\n", said.answer);
            ("text/event-stream", events)
        }
    };
    let mut response = Response::new(Full::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
