//! The raw pass-through, which is the floor for any gateway: a server and a pooled client, the
//! envelope parsed with its payloads left raw, id and name rewritten.
//!
//! It checks nobody, decides nothing, records nothing and knows no sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use toolgate_wire::{
    IncomingMessages as Messages, Message, MessageId, MessageLimits, ObjectSplice,
    ProtocolRevision, ResponseOutcome, SpliceValue, header, method, write_request, write_result,
};

use crate::Failure;

/// What stands before the names of the tools.
pub(crate) const PREFIX: &str = "bench__";

struct Pass {
    client: Client<HttpConnector, Full<Bytes>>,
    behind: Uri,
    next: AtomicU64,
}

/// Passes on until the process is ended; the first line of output says where it listens.
pub(crate) fn run(behind: &str) -> Result<(), Failure> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let behind = behind.parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let pass = Arc::new(Pass { client, behind, next: AtomicU64::new(1) });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("http://{}/mcp", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let pass = Arc::clone(&pass);
            tokio::spawn(async move {
                let service = service_fn(|request| pass.on(request));
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    })
}

impl Pass {
    async fn on(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Failure> {
        let (mut head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let Ok(Messages::One(Message::Request(request))) =
            Messages::parse(&body, ProtocolRevision::WITHOUT_HEADER, &MessageLimits::DEFAULT)
        else {
            return Ok(Response::builder().status(202).body(Full::default())?);
        };
        let number = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let number = serde_json::value::RawValue::from_string(number)?;
        let ours = MessageId::from_raw(&number).ok_or("no id")?;
        let mut out = Vec::with_capacity(body.len() + 16);
        let name = request.params.as_ref().and_then(|params| params.text("name"));
        match (&request.params, name) {
            (Some(params), Some(name)) if request.method == method::TOOLS_CALL => {
                let name = name.strip_prefix(PREFIX).unwrap_or(&name).to_owned();
                if head.headers.contains_key(header::NAME) {
                    head.headers.insert(header::NAME, HeaderValue::from_str(&name)?);
                }
                let mut params = ObjectSplice::of(params);
                params.set("name", SpliceValue::text(name));
                write_request(&mut out, ours, &request.method, Some(&params));
            }
            (params, _) => {
                let params = params.as_ref().map(|params| params.raw());
                write_request(&mut out, ours, &request.method, params);
            }
        }
        head.uri = self.behind.clone();
        head.headers.remove(CONTENT_LENGTH);
        head.headers.remove(HOST);
        let answer = self.client.request(Request::from_parts(head, Full::from(out))).await?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await?.to_bytes();
        let Ok(Messages::One(Message::Response(answer))) =
            Messages::parse(&body, ProtocolRevision::WITHOUT_HEADER, &MessageLimits::DEFAULT)
        else {
            return Err("the server said something else".into());
        };
        let mut out = Vec::with_capacity(body.len() + 16);
        match answer.outcome {
            ResponseOutcome::Result(result) => write_result(&mut out, request.id, result.raw()),
            _ => return Err("the server refused".into()),
        }
        let mut response = Response::new(Full::from(out));
        *response.headers_mut() = head.headers;
        response.headers_mut().remove(CONTENT_LENGTH);
        Ok(response)
    }
}
