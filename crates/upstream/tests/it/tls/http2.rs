//! A server that offers HTTP/2 is spoken to in HTTP/2, all over one connection.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, Version, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use toolgate_upstream::PageLimits;
use toolgate_wire::{ListMethod, ProtocolRevision};

use super::{Authority, Front, entry};
use crate::{GRACE, within};

const AT_ONCE: usize = 10;
const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
    "serverInfo":{"name":"two","version":"2"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"only","inputSchema":{"type":"object"}}]}"#;

/// A small server that answers a list when all who want it are there.
struct Server {
    seen: Mutex<Vec<(Method, Version)>>,
    all_here: Barrier,
}

impl Server {
    async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let seen = (request.method().clone(), request.version());
        self.seen.lock().unwrap().push(seen);
        let mut response = Response::new(Full::default());
        if request.method() != Method::POST {
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            return Ok(response);
        }
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let message: Value = serde_json::from_slice(&body).unwrap();
        let result = match message["method"].as_str() {
            Some("initialize") => INITIALIZED,
            Some("tools/list") => {
                self.all_here.wait().await;
                TOOLS
            }
            _ => {
                *response.status_mut() = StatusCode::ACCEPTED;
                return Ok(response);
            }
        };
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, message["id"]);
        *response.body_mut() = Full::from(answer);
        let media = "application/json".parse().unwrap();
        response.headers_mut().insert(header::CONTENT_TYPE, media);
        Ok(response)
    }
}

#[tokio::test]
async fn requests_at_once_share_one_connection_where_http2_is_offered() {
    let authority = Authority::new();
    for protocols in [&["h2"][..], &["h2", "http/1.1"]] {
        let server = Arc::new(Server { seen: Mutex::default(), all_here: Barrier::new(AT_ONCE) });
        let serving = Arc::clone(&server);
        let front = Front::serving(authority.acceptor("localhost", protocols), move |stream| {
            let server = Arc::clone(&serving);
            let service = service_fn(move |request| Arc::clone(&server).respond(request));
            let serving = http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service);
            async { drop(serving.await) }
        })
        .await;
        let bench = entry(&front.url("/mcp"), Some(authority.file()));
        let bench = bench.knowing(ProtocolRevision::NEWEST_LEGACY);
        let connection = Arc::new(within(bench.open()).await.unwrap());
        let mut lists = JoinSet::new();
        for _ in 0..AT_ONCE {
            let connection = Arc::clone(&connection);
            lists.spawn(
                async move { connection.list(ListMethod::Tools, PageLimits::default()).await },
            );
        }
        for listed in within(lists.join_all()).await {
            assert_eq!(listed.unwrap().items.len(), 1);
        }
        connection.close(GRACE).await;
        let seen = server.seen.lock().unwrap();
        assert!(seen.iter().all(|(_, version)| *version == Version::HTTP_2), "{seen:?}");
        assert!(seen.len() >= AT_ONCE + 2, "{seen:?}");
        assert_eq!(front.accepted(), 1);
    }
}
