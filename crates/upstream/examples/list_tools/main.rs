//! Opens one server, says what it is and what it offers, and calls one of its tools.
//!
//! For trying servers that nobody here wrote; see `scripts/real-servers.sh`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../shared/entry.rs"]
mod entry;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use entry::Failure;
use serde_json::value::RawValue;
use toolgate_guard::AllowEverything;
use toolgate_types::{NobodyToAsk, Operation, OperationOutcome, OperationResult};
use toolgate_upstream::{OperationOptions, PageLimits, UpstreamConnection};
use toolgate_wire::{ListMethod, RawObject};

const USAGE: &str = "usage: list_tools '{\"servers\":{\"ID\":{…}}}' [TOOL [ARGUMENTS]]";

fn main() -> ExitCode {
    match entry::run(look()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("list_tools: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn look() -> Result<(), Failure> {
    let mut given = std::env::args().skip(1);
    let entry = given.next().ok_or(USAGE)?;
    let connection = entry::open(&entry, Arc::new(NobodyToAsk)).await?;
    let seen = show(&connection, given.next(), given.next()).await;
    if let (Err(_), Some(tail)) = (&seen, connection.stderr_tail()) {
        eprintln!("list_tools: the server wrote:\n{tail}");
    }
    connection.close(Duration::from_secs(2)).await;
    seen
}

async fn show(
    connection: &UpstreamConnection,
    tool: Option<String>,
    arguments: Option<String>,
) -> Result<(), Failure> {
    let handshake = connection.handshake();
    let info = handshake.server_info.as_deref().map(RawObject::parse).transpose()?;
    let name = info.as_ref().and_then(|info| info.text("name")).unwrap_or("(no name)".into());
    let tools = connection.list(ListMethod::Tools, PageLimits::default()).await?;
    if tools.items.is_empty() {
        return Err("the server lists no tool".into());
    }
    print!("{name} {} tools={}", handshake.revision.as_str(), tools.items.len());
    if let Some(tool) = tool {
        let arguments: Box<RawValue> = serde_json::from_str(arguments.as_deref().unwrap_or("{}"))?;
        let called =
            Operation::CallTool { name: tool.as_str().into(), arguments: Some(arguments.into()) };
        let manner = OperationOptions::within(connection.request_timeout());
        let permitted = AllowEverything::insecure_no_policy().permit(called);
        match connection.perform(&permitted, manner).await? {
            OperationOutcome::Done(OperationResult { is_error: false, .. }) => print!(" {tool}=ok"),
            other => return Err(format!("`{tool}` answered {other:?}").into()),
        }
    }
    println!();
    Ok(())
}
