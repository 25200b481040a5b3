//! What a person asked for and could not even be begun, written down like any call: a server that is
//! unknown, pending, disabled or out of reach, or arguments that no tool takes.
//!
//! It is the command's own process that writes it, whoever would have made the call: nobody else heard
//! of it.

use std::path::Path;
use std::sync::Arc;

use toolgate_control::CommandExit;
use toolgate_host::{CallOptions, Host, UnmadeCall};
use toolgate_mask::Masker;
use toolgate_store::SqliteStore;
use toolgate_types::config::Config;
use toolgate_types::{Caller, Code, Principal, Variables};

use super::carry_failure::CarryFailure;
use super::carry_out::{CLIENT_NAME, CarryOut};
use super::server_id;

/// What it is written down with.
pub struct UnmadeRecord<'a> {
    /// As it counts where it was asked for.
    pub config: Config,
    pub folder: &'a Path,
    pub variables: &'a Variables,
    pub store: Arc<SqliteStore>,
}

impl CarryFailure {
    /// The code and the reason of what came to nothing before a server was asked; everything later is
    /// recorded by who asked it.
    pub fn unmade(&self) -> Option<(Code, String)> {
        match self {
            Self::Before(failure) => {
                let by_exit = match failure.exit {
                    CommandExit::Interrupted => Code::Cancelled,
                    CommandExit::TrustNeeded => Code::PermissionDenied,
                    _ => Code::InvalidArgument,
                };
                Some((failure.code.unwrap_or(by_exit), failure.message.clone()))
            }
            Self::Unconnected(missing) => Some((missing.code(), missing.sentence())),
            Self::Failed(_) | Self::Asked { .. } | Self::Unapproved { .. } => None,
        }
    }
}

impl CarryOut {
    /// The code of what makes no sense in a configuration, by how the command ends.
    pub fn refusal_code(&self, exit: CommandExit, config: &Config) -> Code {
        let is_known = self.server.as_deref().is_some_and(|id| config.servers.contains_key(id));
        match exit {
            CommandExit::TrustNeeded => Code::PermissionDenied,
            _ if is_known => Code::Unavailable,
            _ => Code::NotFound,
        }
    }

    /// Answers the reference of the record. By a host that has no servers: what it writes is as any
    /// other writes it.
    pub async fn record_unmade(&self, code: Code, why: &str, record: UnmadeRecord<'_>) -> String {
        let UnmadeRecord { mut config, folder, variables, store } = record;
        let masker = Masker::of_config(&config, variables);
        config.servers.clear();
        let caller = Caller {
            client: Some(CLIENT_NAME.to_owned()),
            ..Caller::new(Principal::local_user(), folder)
        };
        let options = CallOptions { caller: Some(Arc::new(caller)), ..CallOptions::default() };
        let typed = self.server.as_deref();
        let server = typed.and_then(|id| server_id(id).ok());
        let arguments = self.arguments();
        let named = [typed.unwrap_or_default(), self.target()].join("/");
        let unmade = UnmadeCall {
            word: self.word(),
            server: server.as_ref(),
            target: if server.is_some() || typed.is_none() { self.target() } else { &named },
            arguments: arguments.as_deref(),
            code,
            why,
        };
        let host = Host::builder()
            .config(config)
            .workspace(folder)
            .masker(masker)
            .store(Arc::clone(&store) as _)
            .audit(store)
            .build();
        let error = host.record_unmade(unmade, &options).await;
        host.close_all().await;
        error.correlation.to_string()
    }
}

impl std::fmt::Debug for UnmadeRecord<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnmadeRecord").field("folder", &self.folder).finish_non_exhaustive()
    }
}
