//! What is written down of calls, which of them before they run, and of calls that never did.

use std::time::Duration;

use serde_json::value::RawValue;
use toolgate_audit::{CallRecord, CallTerms};
use toolgate_types::config::{Durability, Transport};
use toolgate_types::{CallEnding, CallError, Code, Definition, ServerId, Trust, visible};
use toolgate_upstream::{PreparedCommand, Upstream};

use super::call_trouble::CallTrouble;
use super::rounds::timeout_of;
use super::{CallOptions, masked};
use crate::entry::ToolEntry;
use crate::{Audience, Host};

/// Something that a caller wanted and that was refused before the host was asked to do it.
#[derive(Debug, Clone, Copy)]
pub struct UnmadeCall<'a> {
    /// `call`, `read`, `prompt`, …
    pub word: &'static str,
    /// Whose it would have been, where that is known.
    pub server: Option<&'a ServerId>,
    /// What was named.
    pub target: &'a str,
    /// What came with it.
    pub arguments: Option<&'a RawValue>,
    /// The error that the caller was told.
    pub code: Code,
    /// Why, in a sentence.
    pub why: &'a str,
}

impl<'a> UnmadeCall<'a> {
    /// Nobody who may be seen has this.
    pub fn not_found(word: &'static str, target: &'a str) -> Self {
        let (server, arguments, code) = (None, None, Code::NotFound);
        Self { word, server, target, arguments, code, why: "" }
    }
}

impl Host {
    /// Writes down what was wanted and will not be done, and answers the error for whoever wanted it.
    pub async fn record_unmade(&self, unmade: UnmadeCall<'_>, options: &CallOptions) -> CallError {
        let UnmadeCall { word, server, target, arguments, code, why } = unmade;
        let mut record = self.inner.journal.open(word, target, options.caller.clone());
        record.within(options.trace());
        record.with_arguments(arguments.map(|raw| raw.to_owned().into()));
        if let Some(server) = server {
            record.is_for(server, target);
        }
        let trouble = match code {
            Code::NotFound if why.is_empty() => CallTrouble::NotFound(target.to_owned()),
            _ => CallTrouble::Unmade(code, visible(why)),
        };
        fail(record, trouble).await
    }
}

/// Ends a record in trouble.
pub(super) async fn fail(record: CallRecord, trouble: CallTrouble) -> CallError {
    let ending = CallEnding::Failed(trouble.code());
    let error = masked(trouble.into_error(record.correlation()), &record.masker());
    record.finish(ending, 0, Some(&error)).await;
    error
}

impl Host {
    /// What a call of a tool is made under.
    pub(super) fn terms(
        &self,
        entry: &ToolEntry,
        upstream: &Upstream,
        definition: &Definition,
    ) -> CallTerms {
        self.terms_for(&entry.audience, upstream, timeout_of(upstream, definition))
    }

    /// The same of a command tool, where a session may have a say.
    pub(super) fn terms_of_command(
        &self,
        entry: &ToolEntry,
        upstream: &Upstream,
        definition: &Definition,
        command: &PreparedCommand,
    ) -> CallTerms {
        CallTerms {
            sandbox: Some(command.tool().value.confinement.profile),
            cwd: Some(command.folder().to_owned()),
            ..self.terms(entry, upstream, definition)
        }
    }

    pub(super) fn terms_for(
        &self,
        audience: &Audience,
        upstream: &Upstream,
        timeout: Duration,
    ) -> CallTerms {
        let world = &self.inner.world;
        let (sandbox, cwd) = match &upstream.entry().value.transport {
            Transport::Stdio(stdio) => {
                let own = stdio.cwd.as_ref().map(|cwd| world.workspace.join(cwd.expose()));
                let cwd = own.unwrap_or_else(|| world.workspace.clone());
                (Some(stdio.confinement.profile), Some(cwd))
            }
            Transport::Remote(_) | Transport::Builtin | Transport::Commands(_) => (None, None),
        };
        let role = audience.address.role().map(str::to_owned);
        let policy = self.view(audience).revision();
        CallTerms { role, policy, timeout: Some(timeout), sandbox, cwd }
    }

    /// By default all but those of which a trusted server says that they only read: what changes
    /// something must be known of, whatever ends first.
    pub(super) fn records_first(&self, trust: Trust, definition: &Definition) -> bool {
        match self.durability() {
            Some(Durability::Auto) => {
                trust == Trust::Untrusted || definition.hints.read_only != Some(true)
            }
            durability => durability == Some(Durability::BeforeCall),
        }
    }

    /// For what only reads by its nature.
    pub(super) fn records_always(&self) -> bool {
        self.durability() == Some(Durability::BeforeCall)
    }

    fn durability(&self) -> Option<Durability> {
        self.inner.journal.settings().map(|settings| settings.durability)
    }
}
