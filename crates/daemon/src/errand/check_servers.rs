//! How the servers are that are configured here: each is connected to, all at once and not for long.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate_control::CommandFailure;
use toolgate_types::ServerState;

use super::{Errand, ErrandHost, HostWish, MissingServer};

/// How long all of them are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
pub struct CheckServers {}

#[derive(Debug, Serialize, Deserialize)]
pub struct ServerHealth {
    pub id: String,
    /// Whether it answered.
    pub is_well: bool,
    /// In a word: `ok`, or what it is instead.
    pub word: String,
    /// Why it did not, where more is known than that.
    pub missing: Option<MissingServer>,
}

impl Errand for CheckServers {
    const METHOD: &'static str = "host.check";
    type Product = Vec<ServerHealth>;
    type Trouble = CommandFailure;

    fn verb(&self) -> &'static str {
        "list --check"
    }

    fn wish(&self) -> HostWish<'_> {
        HostWish::default()
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<Vec<ServerHealth>, CommandFailure> {
        let is_in_time = match tokio::time::timeout(PATIENCE, hosted.connect()).await {
            Ok(connected) => connected.map(|()| true)?,
            Err(_) => false,
        };
        let all = hosted.host.status().into_iter().map(|status| {
            let is_well = status.connection.is_some();
            ServerHealth::of(is_well, is_in_time, MissingServer::from(status))
        });
        Ok(all.collect())
    }
}

impl ServerHealth {
    fn of(is_well: bool, is_in_time: bool, mut server: MissingServer) -> Self {
        let id = server.id.clone();
        if is_well {
            return Self { id, is_well, word: "ok".to_owned(), missing: None };
        }
        let word = match server.state {
            ServerState::Pending => "pending",
            ServerState::Disabled => "disabled",
            ServerState::AuthRequired => "login needed",
            ServerState::RegistrationRequired => "registration needed",
            ServerState::Connecting if !is_in_time => "no answer",
            _ => "error",
        };
        if word == "no answer" && server.error.is_none() {
            server.error = Some(format!("it gave no answer within {} s", PATIENCE.as_secs()));
        }
        Self { id, is_well, word: word.to_owned(), missing: Some(server) }
    }
}
