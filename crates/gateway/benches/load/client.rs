//! A client as thin as can be, so that what is measured is not it: one connection that is kept, one
//! request at a time, bytes in and bytes out.
//!
//! It understands just as much HTTP as the servers here speak.

pub(crate) mod connection;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::connection::{Connection, Head};
use crate::Failure;
use crate::server::Era;

/// Where a server is, and what it wants to see.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) token: Option<String>,
}

impl Place {
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        let rest = self.url.strip_prefix("http://").ok_or("no http URL")?;
        Ok(rest.split('/').next().unwrap_or_default().parse()?)
    }

    /// The path at that address.
    fn path(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("/", |at| &rest[at..])
    }

    /// What lies further down.
    pub(crate) fn below(&self, path: &str) -> Self {
        Self { url: format!("{}/{path}", self.url), token: self.token.clone() }
    }
}

/// A client of one era; its ids start at 0.
pub(crate) struct Client {
    connection: Connection,
    era: Era,
    path: String,
    /// The headers that go with everything.
    head: String,
    pub(crate) session: Option<String>,
    next: u64,
}

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) tool: &'a str,
    pub(crate) text: &'a str,
    /// Whether reports are wanted, under a token that is the request's id.
    pub(crate) report: bool,
}

/// How long a server may take to start on a machine that does much else.
const LISTED_WITHIN: Duration = Duration::from_secs(30);

const LEGACY_VERSION: &str = "mcp-protocol-version: 2025-11-25\r\n";
const MODERN_META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"}"#;

impl Client {
    /// Connects, and opens a session where the era has them.
    pub(crate) async fn open(place: &Place, era: Era) -> Result<Self, Failure> {
        let mut client = Self::connect(place, era).await?;
        if era == Era::Legacy {
            client.begin().await?;
        }
        Ok(client)
    }

    /// Waits until whoever connects sees a tool: a server may still be starting when the first list is asked for.
    pub(crate) async fn wait_for_tool(place: &Place, era: Era, tool: &str) -> Result<(), Failure> {
        let (began, wanted) = (Instant::now(), format!("\"{tool}\""));
        loop {
            let mut client = Self::open(place, era).await?;
            client.list().await?.expect(200)?;
            let body = String::from_utf8_lossy(client.body()).into_owned();
            client.end().await?;
            if body.contains(&wanted) {
                return Ok(());
            }
            if began.elapsed() > LISTED_WITHIN {
                return Err(format!("no {tool} in the list: {body:.300}").into());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Connects and says nothing yet.
    pub(crate) async fn connect(place: &Place, era: Era) -> Result<Self, Failure> {
        let address = place.address()?;
        let mut head = format!(
            "host: {address}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        );
        if let Some(token) = &place.token {
            write!(head, "authorization: Bearer {token}\r\n")?;
        }
        if era == Era::Modern {
            head.push_str("mcp-protocol-version: 2026-07-28\r\n");
        }
        let connection = Connection::open(address).await?;
        let path = place.path().to_owned();
        Ok(Self { connection, era, path, head, session: None, next: 0 })
    }

    /// Connects, and lets the gate get to know whoever connects, at the place above `place`: who holds a
    /// connection is looked for once, with its first request, whatever that is.
    pub(crate) async fn open_known(
        above: &Place,
        place: &Place,
        era: Era,
    ) -> Result<Self, Failure> {
        let mut client = Self::open(above, era).await?;
        if era == Era::Modern {
            client.request("server/discover", None, "", "").await?.expect(200)?;
        }
        client.path = place.path().to_owned();
        Ok(client)
    }

    /// Opens a session, in the place of the one that it had.
    pub(crate) async fn begin(&mut self) -> Result<(), Failure> {
        self.leave();
        let body = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#;
        let head = self.post("", body).await?.expect(200)?;
        match head.session {
            Some(session) => self.take_up(&session),
            // The server itself has none.
            None => self.head.push_str(LEGACY_VERSION),
        }
        let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        self.post("", body).await?.expect(202)?;
        Ok(())
    }

    /// Goes on in a session that was opened before.
    pub(crate) fn take_up(&mut self, session: &str) {
        self.leave();
        self.head.push_str(LEGACY_VERSION);
        self.head.push_str(&format!("mcp-session-id: {session}\r\n"));
        self.session = Some(session.to_owned());
    }

    /// Forgets its session, which lives on.
    fn leave(&mut self) {
        if let Some(at) = self.head.find(LEGACY_VERSION) {
            self.head.truncate(at);
        }
        self.session = None;
    }

    /// Ends its session.
    pub(crate) async fn end(&mut self) -> Result<(), Failure> {
        if self.session.is_some() {
            let request =
                format!("DELETE {} HTTP/1.1\r\n{}content-length: 0\r\n\r\n", self.path, self.head);
            let status = self.connection.exchange(request.as_bytes()).await?.status;
            // Others say it with a word.
            if !matches!(status, 200 | 202 | 204) {
                return Err(format!("status {status} at the end of a session").into());
            }
            self.leave();
        }
        Ok(())
    }

    /// Calls a tool and gives the id of the request; what came is in `body`.
    pub(crate) async fn call(&mut self, asked: Asked<'_>) -> Result<u64, Failure> {
        let Asked { tool, text, report } = asked;
        let id = self.next;
        let arguments = match report {
            true => format!(r#"{{"text":"{text}","report":true}}"#),
            false => format!(r#"{{"text":"{text}"}}"#),
        };
        let token = if report { format!(r#""progressToken":{id}"#) } else { String::new() };
        let params = format!(r#""name":"{tool}","arguments":{arguments}"#);
        self.request("tools/call", Some(tool), &params, &token).await?.expect(200)?;
        Ok(id)
    }

    /// Calls a tool for a result of so many bytes.
    pub(crate) async fn call_for(&mut self, tool: &str, bytes: usize) -> Result<(), Failure> {
        let arguments = format!(r#"{{"text":"much","bytes":{bytes}}}"#);
        let params = format!(r#""name":"{tool}","arguments":{arguments}"#);
        self.request("tools/call", Some(tool), &params, "").await?.expect(200)?;
        Ok(())
    }

    pub(crate) async fn list(&mut self) -> Result<Head, Failure> {
        self.request("tools/list", None, "", "").await
    }

    /// The page that a cursor leads to.
    pub(crate) async fn list_from(&mut self, cursor: &str) -> Result<Head, Failure> {
        self.request("tools/list", None, &format!(r#""cursor":"{cursor}""#), "").await
    }

    /// The body of the last answer, in which a stream of events is what was in its chunks.
    pub(crate) fn body(&self) -> &[u8] {
        self.connection.body()
    }

    /// Sends a list's request and does not read what comes.
    pub(crate) async fn ask_unread(&mut self) -> Result<(), Failure> {
        let (extra, body) = self.write("tools/list", None, "", "");
        let request = self.whole(&extra, &body);
        self.connection.send(request.as_bytes()).await
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    async fn request(
        &mut self,
        method: &str,
        name: Option<&str>,
        params: &str,
        meta: &str,
    ) -> Result<Head, Failure> {
        let (extra, body) = self.write(method, name, params, meta);
        self.post(&extra, &body).await
    }

    /// The headers of its own that a request has, and its body.
    fn write(
        &mut self,
        method: &str,
        name: Option<&str>,
        params: &str,
        meta: &str,
    ) -> (String, String) {
        let id = self.next;
        self.next += 1;
        let (mut extra, mut all) = (String::new(), meta.to_owned());
        if self.era == Era::Modern {
            all =
                if meta.is_empty() { MODERN_META.into() } else { format!("{meta},{MODERN_META}") };
            extra = format!("mcp-method: {method}\r\n");
            if let Some(name) = name {
                extra.push_str("mcp-name: ");
                extra.push_str(name);
                extra.push_str("\r\n");
            }
        }
        let between = if params.is_empty() || all.is_empty() { "" } else { "," };
        let all = if all.is_empty() { all } else { format!(r#""_meta":{{{all}}}"#) };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{between}{all}}}}}"#
        );
        (extra, body)
    }

    fn whole(&self, extra: &str, body: &str) -> String {
        let (path, head) = (&self.path, &self.head);
        format!("POST {path} HTTP/1.1\r\n{head}{extra}content-length: {}\r\n\r\n{body}", body.len())
    }

    async fn post(&mut self, extra: &str, body: &str) -> Result<Head, Failure> {
        let out = self.whole(extra, body);
        self.connection.exchange(out.as_bytes()).await
    }
}
