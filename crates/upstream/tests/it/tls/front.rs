//! A port that speaks TLS, and counts who came.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// It ends when it is dropped.
pub(crate) struct Front {
    port: u16,
    accepted: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Front {
    /// Hands on what it deciphers to what listens at this address.
    pub(crate) async fn before(address: &str, acceptor: TlsAcceptor) -> Self {
        let address = address.trim_start_matches("http://").to_owned();
        Self::serving(acceptor, move |mut stream| {
            let address = address.clone();
            async move {
                let mut inner = TcpStream::connect(address).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut inner).await;
            }
        })
        .await
    }

    pub(crate) async fn serving<F>(
        acceptor: TlsAcceptor,
        serve: impl Fn(TlsStream<TcpStream>) -> F + Clone + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepted = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&accepted);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (acceptor, serve) = (acceptor.clone(), serve.clone());
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream).await;
                    }
                });
            }
        });
        Self { port, accepted, accepting }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.authority())
    }

    pub(crate) fn authority(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// How many connections there were, shaken hands on or not.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
