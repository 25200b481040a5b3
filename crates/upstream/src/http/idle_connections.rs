//! Connections that nobody uses at the moment, the last that was used first.

use std::time::{Duration, Instant};

use http::uri::{Authority, Scheme};
use parking_lot::Mutex;

use super::own_connection::{ConnectionHome, OwnConnection};

/// How long one is kept, and how many of one client.
const IDLE: Duration = Duration::from_secs(60);
const MOST: usize = 64;

/// Whom a connection reaches.
pub(super) type Origin = (Scheme, Authority);

#[derive(Default)]
pub(super) struct IdleConnections(Mutex<Vec<IdleConnection>>);

struct IdleConnection {
    origin: Origin,
    since: Instant,
    connection: OwnConnection,
}

impl IdleConnections {
    /// One that is still open, and at home here.
    pub(super) fn take(&self, origin: &Origin) -> Option<OwnConnection> {
        let (here, now) = (ConnectionHome::here(), Instant::now());
        let fits = |one: &IdleConnection| one.connection.home() == here && one.origin == *origin;
        loop {
            let mut idle = self.0.lock();
            idle.retain(|one| now.duration_since(one.since) < IDLE);
            let place = idle.iter().rposition(fits)?;
            let mut connection = idle.remove(place).connection;
            drop(idle);
            if connection.is_open() {
                return Some(connection);
            }
        }
    }

    /// Its last answer was read to the end.
    pub(super) fn keep(&self, connection: OwnConnection, origin: Origin) {
        let mut idle = self.0.lock();
        if idle.len() >= MOST {
            idle.remove(0);
        }
        idle.push(IdleConnection { origin, since: Instant::now(), connection });
    }
}
