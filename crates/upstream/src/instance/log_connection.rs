//! What the log is told of a connection, for whoever asks why a server is not there: opened or not,
//! ended and why, and when it is tried again.
//!
//! All of it is in words of ours. What a server says may hold secrets, and those of one host are
//! known to its own listener alone: the state that it is told has the server's words, masked. Nothing
//! here is logged while the state is locked, since a line waits for a file.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{Level, debug, enabled};

use super::ServerInstance;
use super::live::LiveConnection;
use crate::UpstreamError;

impl ServerInstance {
    pub(super) fn log_attempt(&self, result: &Result<Arc<LiveConnection>, UpstreamError>) {
        if !enabled!(Level::DEBUG) {
            return;
        }
        match result {
            Ok(live) => {
                let (connection, said) = (live.serial, live.connection.handshake());
                let revision = said.revision.as_str();
                let process = live.connection.pid();
                debug!(
                    server = self.id.as_str(),
                    connection, revision, process, "connection opened"
                );
            }
            Err(error) => {
                let why = match error {
                    UpstreamError::Connect(error) => error.kind(),
                    UpstreamError::Full(_) => "there is no room for another local server",
                    _ => "nobody wants it any more",
                };
                debug!(server = self.id.as_str(), why, "connection not opened");
                self.log_back_off();
            }
        }
    }

    /// An open connection is over.
    pub(super) fn log_end(&self, connection: u64, why: &'static str) {
        debug!(server = self.id.as_str(), connection, why, "connection closed");
    }

    /// How long nothing is tried now, after how many failures.
    pub(super) fn log_back_off(&self) {
        if !enabled!(Level::DEBUG) {
            return;
        }
        let (failures, wait) = {
            let state = self.state();
            (state.lifecycle.failures(), state.lifecycle.retry_in(Instant::now()))
        };
        if let Some(retry_in) = wait {
            debug!(server = self.id.as_str(), failures, ?retry_in, "back-off");
        }
    }
}
