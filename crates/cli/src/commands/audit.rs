//! `toolgate audit`: the calls that were recorded, the newest last; one of them, the chain, a copy.
//!
//! It only looks. What is recorded is the host's business, and what is kept the store's.

mod export;
mod listed_call;
mod row;
mod show;
mod verify;

use std::time::Duration;

use serde::Serialize;
use toolgate_audit::newest_calls;
use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, SqliteStore};
use toolgate_terminal::moment::SinceMoment;
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::{ServerId, did_you_mean};

use crate::args::{AuditArgs, AuditVerb, ScopeArg, SearchArgs};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};
pub(super) use listed_call::ListedCall;

/// How often a follower looks.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) const HEADER: [&str; 7] =
    ["time", "outcome", "call", "took", "principal", "ref", "code"];

pub(crate) fn run(
    arguments: &AuditArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    match &arguments.verb {
        None => list(&arguments.search, surroundings, output),
        Some(AuditVerb::Show { correlation }) => show::run(correlation, surroundings, output),
        Some(AuditVerb::Verify { head, retention_days, retention_bytes }) => {
            let rules = (*retention_days, *retention_bytes);
            verify::run(head.clone(), rules, surroundings, output)
        }
        Some(AuditVerb::Export { since }) => export::run(*since, surroundings, output),
    }
}

#[derive(Serialize)]
struct AuditListJson<'a> {
    calls: &'a [ListedCall],
}

fn list(
    search: &SearchArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let query = query_of(search);
    let most = usize::try_from(search.limit).unwrap_or(usize::MAX);
    let store = surroundings.store_to_read()?;
    let rows = wait(newest_calls(&store, &query, most))?;
    let calls: Vec<_> = rows.into_iter().map(ListedCall::from).collect();
    if search.follow {
        return follow(&calls, query, surroundings, output);
    }
    if output.json {
        output.document_of(&AuditListJson { calls: &calls });
    } else if calls.is_empty() {
        output.line("no such call was recorded");
        // Whose calls are looked for may be configured no more, so a name is not refused.
        if let Some(typed) = &search.server {
            let servers = surroundings.load(ScopeArg::Effective).config.servers;
            let known = servers.keys().map(ServerId::as_str).filter(|id| id != typed);
            if let Some(meant) =
                did_you_mean(typed, known).filter(|_| !servers.contains_key(typed.as_str()))
            {
                output.note(meant);
            }
        }
    } else {
        output.raw(&table(&HEADER, &calls.iter().map(ListedCall::cells).collect::<Vec<_>>()));
    }
    Ok(Exit::Ok)
}

/// One line for each call that ended, for as long as somebody reads.
fn follow(
    calls: &[ListedCall],
    query: AuditQuery,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    for call in calls {
        line(call, output);
    }
    let mut last = calls.iter().map(|call| call.sequence).max().unwrap_or(0);
    while output.is_read() {
        std::thread::sleep(PAUSE);
        // Opened anew: the first call of all makes the store.
        for row in after(last, &query, &surroundings.store_to_read()?)? {
            last = row.sequence;
            if matches!(row.entry.kind, AuditKind::End | AuditKind::Network) {
                line(&ListedCall::from(row), output);
            }
        }
    }
    Ok(Exit::Ok)
}

fn after(
    last: u64,
    query: &AuditQuery,
    store: &SqliteStore,
) -> Result<Vec<toolgate_store::AuditRow>, CliFailure> {
    let query = AuditQuery { after_sequence: Some(last), ..query.clone() };
    Ok(wait(store.audit(query))?)
}

fn line(call: &ListedCall, output: &mut CommandOutput) {
    match output.json {
        true => output.document_line(call),
        false => output.line(call.cells().join("  ").trim_end()),
    }
}

fn query_of(search: &SearchArgs) -> AuditQuery {
    AuditQuery {
        since: search.since.map(SinceMoment::as_millis),
        server: search.server.clone(),
        tool: search.tool.clone(),
        outcome: search.outcome.clone(),
        session: search.session.clone(),
        grep: search.grep.clone(),
        ..AuditQuery::default()
    }
}
