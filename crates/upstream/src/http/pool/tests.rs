//! Connections that are used again, that closed meanwhile, and that nothing may be sent on twice.

use std::sync::Mutex as StdMutex;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::super::client::{HttpClient, HttpSettings};
use super::*;

/// A server that answers as it is told, connection by connection; it says how many requests each carried.
struct PlainServer {
    uri: Uri,
    requests: Arc<StdMutex<Vec<usize>>>,
    closed: mpsc::UnboundedReceiver<()>,
}

#[derive(Clone, Copy)]
enum Behaviour {
    KeepsOpen,
    /// Closes behind its answer, without saying so.
    ClosesAfterAnswer,
    /// Reads a request, and closes without an answer.
    ClosesBeforeAnswer,
    /// Answers in pieces that follow one another slowly.
    Chunked,
}

impl PlainServer {
    async fn start(behaviours: Vec<Behaviour>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        let requests = Arc::new(StdMutex::new(Vec::new()));
        let (gone, closed) = mpsc::unbounded_channel();
        let counted = Arc::clone(&requests);
        tokio::spawn(async move {
            for (number, behaviour) in behaviours.into_iter().enumerate() {
                let (stream, _) = listener.accept().await.unwrap();
                counted.lock().unwrap().push(0);
                let (counted, gone) = (Arc::clone(&counted), gone.clone());
                tokio::spawn(async move {
                    serve(stream, behaviour, || counted.lock().unwrap()[number] += 1).await;
                    let _ = gone.send(());
                });
            }
        });
        Self { uri, requests, closed }
    }

    fn requests(&self) -> Vec<usize> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, behaviour: Behaviour, mut count: impl FnMut()) {
    let mut request = vec![0; 4096];
    while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
        count();
        let whole: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"];
        let pieces: &[&[u8]] = &[
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n",
            b"1\r\nk\r\n",
            b"0\r\n\r\n",
        ];
        let answer = match behaviour {
            Behaviour::ClosesBeforeAnswer => return,
            Behaviour::Chunked => pieces,
            Behaviour::KeepsOpen | Behaviour::ClosesAfterAnswer => whole,
        };
        for piece in answer {
            if stream.write_all(piece).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        if matches!(behaviour, Behaviour::ClosesAfterAnswer) {
            return;
        }
    }
}

fn client(server: &PlainServer) -> HttpClient {
    HttpClient::new(&server.uri, &HttpSettings::default()).unwrap()
}

async fn ask(client: &HttpClient, server: &PlainServer) -> Result<Bytes, HttpFailure> {
    let request = Request::post(&server.uri).body(Full::new(Bytes::from_static(b"{}"))).unwrap();
    let response = client.send(request).await?;
    Ok(response.into_body().collect().await.unwrap().to_bytes())
}

#[tokio::test]
async fn one_after_the_other_share_a_connection_and_two_at_once_do_not() {
    for behaviour in [Behaviour::KeepsOpen, Behaviour::Chunked] {
        let server = PlainServer::start(vec![behaviour; 3]).await;
        let client = client(&server);
        for _ in 0..5 {
            assert_eq!(ask(&client, &server).await.unwrap(), "ok");
        }
        assert_eq!(server.requests(), [5]);
        let (one, other) = tokio::join!(ask(&client, &server), ask(&client, &server));
        assert_eq!((one.unwrap(), other.unwrap()), (Bytes::from("ok"), Bytes::from("ok")));
        assert_eq!(server.requests(), [6, 1]);
    }
}

#[tokio::test]
async fn a_connection_that_closed_while_it_was_idle_is_not_used() {
    let behaviours = vec![Behaviour::ClosesAfterAnswer, Behaviour::KeepsOpen];
    let mut server = PlainServer::start(behaviours).await;
    let client = client(&server);
    assert_eq!(ask(&client, &server).await.unwrap(), "ok");
    server.closed.recv().await.unwrap();
    assert_eq!(ask(&client, &server).await.unwrap(), "ok");
    assert_eq!(server.requests(), [1, 1]);
}

/// It may have been carried out: whoever sent it decides.
#[tokio::test]
async fn what_was_written_is_never_sent_again() {
    let behaviours = vec![Behaviour::ClosesBeforeAnswer, Behaviour::KeepsOpen];
    let server = PlainServer::start(behaviours).await;
    let client = client(&server);
    assert_eq!(ask(&client, &server).await.unwrap_err(), HttpFailure::Lost);
    assert_eq!(server.requests(), [1]);
    assert_eq!(ask(&client, &server).await.unwrap(), "ok");
    assert_eq!(server.requests(), [1, 1]);
}

#[tokio::test]
async fn a_connection_whose_answer_nobody_read_is_closed() {
    let mut server = PlainServer::start(vec![Behaviour::Chunked, Behaviour::KeepsOpen]).await;
    let client = client(&server);
    let request = Request::post(&server.uri).body(Full::new(Bytes::from_static(b"{}"))).unwrap();
    drop(client.send(request).await.unwrap());
    server.closed.recv().await.unwrap();
    assert_eq!(ask(&client, &server).await.unwrap(), "ok");
    assert_eq!(server.requests(), [1, 1]);
}

#[test]
fn the_host_is_told_as_it_is_written_and_without_a_port_that_goes_without_saying() {
    for (uri, host) in [
        ("http://a.example:8080/mcp?x=1", "a.example:8080"),
        ("http://a.example:80/mcp?x=1", "a.example"),
        ("https://a.example:443/mcp?x=1", "a.example"),
        ("https://[::1]:80/mcp?x=1", "[::1]:80"),
    ] {
        let request = Request::post(uri).body(Full::new(Bytes::new())).unwrap();
        let mut kept = None;
        let request = in_origin_form(in_origin_form(request, &mut kept), &mut kept);
        assert_eq!(request.headers()[header::HOST], host);
        assert_eq!(request.uri(), "/mcp?x=1");
        let next = Request::post(uri).body(Full::new(Bytes::new())).unwrap();
        assert_eq!(in_origin_form(next, &mut kept).headers()[header::HOST], host);
        assert_eq!(kept.unwrap(), host);
    }
}
