//! The client that the official conformance suite tests: the connections of this crate, driven as
//! a scenario wants it.
//!
//! The runner starts it with the address of its server and says in the environment what it plays.
//! It judges nothing; the runner does. See `scripts/conformance-client.sh`.

#![allow(clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../shared/entry.rs"]
mod entry;
mod person;
mod scenario;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use entry::Failure;
use person::Person;
use scenario::Scenario;

fn main() -> ExitCode {
    match entry::run(play()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("conformance_client: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn play() -> Result<(), Failure> {
    let url = std::env::args().nth(1).ok_or("usage: conformance_client URL")?;
    let name = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let entry = serde_json::json!({ "servers": { "peer": { "url": url } } });
    let person = Arc::new(Person);
    let connection = entry::open(&entry.to_string(), person.clone()).await?;
    let scenario = Scenario { connection: &connection, person: &person, name: &name };
    let played = scenario.play(context.as_deref()).await;
    connection.close(Duration::from_secs(2)).await;
    played
}
