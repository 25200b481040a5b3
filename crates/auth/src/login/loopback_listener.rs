//! Where the browser comes back to: a listener on this machine that takes one thing and says what to do
//! next.
//!
//! It takes a GET of one path and gives the whole URL on; whether that is an answer is decided elsewhere.
//! Its pages hold nothing that somebody sent.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// The path that browsers are sent back to.
const PATH: &str = "/mcp/oauth/callback";

/// The longest request that is read, and for how long.
const LONGEST: usize = 16 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// Listens for the answer of one login.
#[derive(Debug)]
pub struct LoopbackListener {
    listeners: Vec<TcpListener>,
    redirect: String,
}

/// A browser that waits for a page.
#[derive(Debug)]
pub struct WaitingBrowser {
    stream: TcpStream,
    /// What it came with, as a whole URL.
    pub url: String,
}

/// What a page says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginPage {
    Done,
    Refused,
    NotThisLogin,
}

impl LoopbackListener {
    /// On the port that is wanted, or on any.
    pub async fn bind(port: Option<u16>) -> io::Result<Self> {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = first.local_addr()?.port();
        // A browser may know this machine by either address; many have no second one.
        let second = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await;
        let listeners = [Some(first), second.ok()].into_iter().flatten().collect();
        Ok(Self { listeners, redirect: format!("http://localhost:{port}{PATH}") })
    }

    /// Where a browser is to be sent.
    pub fn redirect(&self) -> &str {
        &self.redirect
    }

    /// The next browser that comes to the right path. Whatever else comes is told that it is wrong.
    pub async fn next(&self) -> io::Result<WaitingBrowser> {
        loop {
            let (stream, _) = match &*self.listeners {
                [one] => one.accept().await?,
                [one, other, ..] => tokio::select! {
                    accepted = one.accept() => accepted?,
                    accepted = other.accept() => accepted?,
                },
                [] => return Err(io::ErrorKind::NotConnected.into()),
            };
            // One that says nothing holds the next up for a while and no longer.
            if let Ok(Ok(Some(browser))) = timeout(PATIENCE, self.hear(stream)).await {
                return Ok(browser);
            }
        }
    }

    async fn hear(&self, mut stream: TcpStream) -> io::Result<Option<WaitingBrowser>> {
        let mut heard = Vec::new();
        while !heard.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut piece = [0; 1024];
            let read = stream.read(&mut piece).await?;
            if read == 0 || heard.len() > LONGEST {
                return Ok(None);
            }
            heard.extend_from_slice(piece.get(..read).unwrap_or_default());
        }
        let head = String::from_utf8_lossy(&heard);
        let target = head.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
        let query = target.and_then(|target| target.strip_prefix(PATH));
        match query.filter(|query| query.is_empty() || query.starts_with('?')) {
            Some(query) => {
                let url = format!("{}{query}", self.redirect);
                Ok(Some(WaitingBrowser { stream, url }))
            }
            None => {
                let page = page("404 Not Found", "There is nothing here.");
                stream.write_all(page.as_bytes()).await?;
                stream.shutdown().await?;
                Ok(None)
            }
        }
    }
}

impl WaitingBrowser {
    /// Shows a page, and lets go.
    pub async fn show(mut self, shown: LoginPage) -> io::Result<()> {
        let page = match shown {
            LoginPage::Done => {
                page("200 OK", "You are logged in. Close this page and go back to your terminal.")
            }
            LoginPage::Refused => page(
                "400 Bad Request",
                "The login did not work. Close this page; your terminal says why.",
            ),
            LoginPage::NotThisLogin => page(
                "400 Bad Request",
                "This does not belong to the login that is waited for. Begin again from your terminal.",
            ),
        };
        self.stream.write_all(page.as_bytes()).await?;
        self.stream.shutdown().await
    }
}

/// A page that loads nothing, runs nothing and tells nobody where it was.
fn page(status: &str, sentence: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Toolgate</title>\
         <body style=\"font-family: system-ui, sans-serif; max-width: 40rem; margin: 20vh auto\">\
         <h1>Toolgate</h1><p>{sentence}</p></body></html>"
    );
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         content-security-policy: default-src 'none'; style-src 'unsafe-inline'\r\n\
         referrer-policy: no-referrer\r\ncache-control: no-store\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests;
