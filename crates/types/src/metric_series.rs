//! The numbers that a gateway gives to whoever watches it: what each is called and what it counts.
//!
//! Plain data, and here because two crates need it that must not know each other: the gateway
//! registers its counters from it, and the page that documents them is written from it.

/// How many servers have a label of their own; those that come later share [`OTHER_SERVERS`].
pub const LABELLED_SERVERS: usize = 64;

/// The label of servers beyond [`LABELLED_SERVERS`].
pub const OTHER_SERVERS: &str = "other";

/// What kind of number it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Only ever grows.
    Counter,
    Gauge,
    Histogram,
}

/// One name of `/metrics`, with all its label values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricSeries {
    /// Without the prefix of all and without what a kind adds.
    pub name: &'static str,
    pub kind: MetricKind,
    pub labels: &'static [&'static str],
    /// A sentence without its full stop, which the format adds.
    pub help: &'static str,
}

impl MetricKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

impl MetricSeries {
    pub const PREFIX: &'static str = "toolgate";

    pub const CALLS: Self = Self::counter(
        "calls",
        &["server", "kind", "outcome"],
        "Operations that servers were asked for; the outcome is done, tool_error, input_required, \
         task, failed or aborted",
    );
    pub const CALL_ERRORS: Self = Self::counter(
        "call_errors",
        &["server", "code"],
        "Operations that failed, by the stable code of the error",
    );
    pub const CALL_SECONDS: Self = Self {
        name: "call_seconds",
        kind: MetricKind::Histogram,
        labels: &["server"],
        help: "How long operations took, all steps, a person's time included",
    };
    pub const APPROVALS_WAITING: Self =
        Self::gauge("approvals_waiting", "Calls that wait for a person now");
    pub const APPROVALS_ANSWERED: Self = Self::counter(
        "approvals_answered",
        &["channel", "choice"],
        "Calls that waited for a person and do not any more; where nobody answered the channel is \
         none and the choice expired, withdrawn or unheard",
    );
    pub const SERVER_RESTARTS: Self = Self::counter(
        "server_restarts",
        &["server"],
        "Times that a server which failed or was lost was tried again",
    );
    pub const SERVERS_RUNNING: Self = Self::gauge(
        "servers_running",
        "Local servers that run, of those that limits.pool_servers permits",
    );
    pub const SERVER_STARTS_WAITING: Self =
        Self::gauge("server_starts_waiting", "Local servers that wait for room in the pool");
    pub const AUDIT_RECORDS_WAITING: Self =
        Self::gauge("audit_records_waiting", "Records that wait to be written, of all hosts");
    pub const SESSIONS: Self = Self::gauge("sessions", "Open sessions of the older era");
    pub const HTTP_REQUESTS: Self = Self::counter("http_requests", &[], "Requests over HTTP");
    pub const HTTP_REFUSED: Self =
        Self::counter("http_refused", &["status"], "Requests over HTTP that were refused");
    pub const HTTP_CONNECTIONS: Self = Self::gauge("http_connections", "Open connections");
    pub const HTTP_CONNECTIONS_UNKNOWN: Self =
        Self::gauge("http_connections_unknown", "Open connections that have not shown a token");
    pub const HTTP_TURNED_AWAY: Self = Self::counter(
        "http_turned_away",
        &[],
        "Connections that were closed for want of room or of a token",
    );
    pub const STDIO_REQUESTS: Self = Self::counter("stdio_requests", &[], "Requests over stdio");
    pub const STDIO_REFUSED: Self =
        Self::counter("stdio_refused", &[], "Lines over stdio that were refused");
    pub const STDIO_CONNECTIONS: Self =
        Self::gauge("stdio_connections", "Clients that are attached over stdio");

    /// All there are, in the order of the page.
    pub const ALL: [Self; 18] = [
        Self::CALLS,
        Self::CALL_ERRORS,
        Self::CALL_SECONDS,
        Self::APPROVALS_WAITING,
        Self::APPROVALS_ANSWERED,
        Self::SERVER_RESTARTS,
        Self::SERVERS_RUNNING,
        Self::SERVER_STARTS_WAITING,
        Self::AUDIT_RECORDS_WAITING,
        Self::SESSIONS,
        Self::HTTP_REQUESTS,
        Self::HTTP_REFUSED,
        Self::HTTP_CONNECTIONS,
        Self::HTTP_CONNECTIONS_UNKNOWN,
        Self::HTTP_TURNED_AWAY,
        Self::STDIO_REQUESTS,
        Self::STDIO_REFUSED,
        Self::STDIO_CONNECTIONS,
    ];

    const fn counter(
        name: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self { name, kind: MetricKind::Counter, labels, help }
    }

    const fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: MetricKind::Gauge, labels: &[], help }
    }

    /// As a query names it.
    pub fn exposed(&self) -> String {
        let suffix = if self.kind == MetricKind::Counter { "_total" } else { "" };
        format!("{}_{}{suffix}", Self::PREFIX, self.name)
    }
}
