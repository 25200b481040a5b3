//! What was asked for at the command line and could not even be begun, written down like any call:
//! a server that is unknown, pending, disabled or out of reach, or arguments that no tool takes.
//!
//! It is this process that writes it, whoever would have made the call: nobody else heard of it.

use std::sync::Arc;

use toolgate_daemon::{CLIENT_NAME, CarryFailure, CarryOut, server_id};
use toolgate_host::{CallOptions, Host, UnmadeCall};
use toolgate_mask::Masker;
use toolgate_types::{Caller, Code, Principal};

use crate::args::ScopeArg;
use crate::failure::{CliFailure, Exit};
use crate::surroundings::Surroundings;

/// It made no sense in the configuration as it counts here.
pub(super) fn record_refused(errand: &CarryOut, failure: &CliFailure, surroundings: &Surroundings) {
    let servers = surroundings.load(ScopeArg::Effective).config.servers;
    let server = errand.server.as_deref();
    let is_known = server.is_some_and(|id| servers.contains_key(id));
    let code = match failure.exit {
        Exit::TrustNeeded => Code::PermissionDenied,
        _ if is_known => Code::Unavailable,
        _ => Code::NotFound,
    };
    write(errand, code, &failure.message, surroundings);
}

/// It came to nothing before a server was asked; everything later is recorded by who asked it.
/// Answers the reference of the record.
pub(super) fn record(
    errand: &CarryOut,
    not_done: &CarryFailure,
    surroundings: &Surroundings,
) -> Option<String> {
    match not_done {
        CarryFailure::Before(failure) => {
            let code = match failure.exit {
                _ if failure.code.is_some() => failure.code.unwrap_or_default(),
                Exit::Interrupted => Code::Cancelled,
                Exit::TrustNeeded => Code::PermissionDenied,
                _ => Code::InvalidArgument,
            };
            write(errand, code, &failure.message, surroundings)
        }
        CarryFailure::Unconnected(missing) => {
            write(errand, missing.code(), &missing.sentence(), surroundings)
        }
        CarryFailure::Failed(_) | CarryFailure::Asked { .. } | CarryFailure::Unapproved { .. } => {
            None
        }
    }
}

/// By a host that has no servers: what it writes is as any other writes it.
fn write(errand: &CarryOut, code: Code, why: &str, surroundings: &Surroundings) -> Option<String> {
    let store = Arc::new(surroundings.store().ok()?);
    let mut config = surroundings.load(ScopeArg::Effective).config;
    let masker = Masker::of_config(&config, &surroundings.variables);
    config.servers.clear();
    let caller = Caller {
        client: Some(CLIENT_NAME.to_owned()),
        ..Caller::new(Principal::local_user(), &surroundings.cwd)
    };
    let options = CallOptions { caller: Some(Arc::new(caller)), ..CallOptions::default() };
    let typed = errand.server.as_deref();
    let server = typed.and_then(|id| server_id(id).ok());
    let arguments = errand.arguments();
    let named = [typed.unwrap_or_default(), errand.target()].join("/");
    let unmade = UnmadeCall {
        word: errand.word(),
        server: server.as_ref(),
        target: if server.is_some() || typed.is_none() { errand.target() } else { &named },
        arguments: arguments.as_deref(),
        code,
        why,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(async {
        let host = Host::builder()
            .config(config)
            .workspace(&surroundings.cwd)
            .masker(masker)
            .store(Arc::clone(&store) as _)
            .audit(store)
            .build();
        let error = host.record_unmade(unmade, &options).await;
        host.close_all().await;
        Some(error.correlation.to_string())
    })
}
