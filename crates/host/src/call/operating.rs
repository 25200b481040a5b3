//! What is no call of a tool: resources, prompts, completion. The same steps, the same guard, the
//! same record.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_audit::Record;
use toolgate_guard::{Permitted, Subject, admits};
use toolgate_types::config::Server;
use toolgate_types::{CallError, Ending, Operation, Outcome, ServerId};
use toolgate_upstream::{Upstream, UpstreamError};

use super::failing::Trouble;
use super::{Options, bounded, close};
use crate::Host;

impl Host {
    pub async fn read_resource(
        &self,
        server: &ServerId,
        uri: &str,
        options: Options,
    ) -> Result<Outcome, CallError> {
        self.operate(server, Operation::ReadResource { uri: uri.to_owned() }, options).await
    }

    pub async fn get_prompt(
        &self,
        server: &ServerId,
        name: &str,
        arguments: Option<Box<RawValue>>,
        options: Options,
    ) -> Result<Outcome, CallError> {
        let operation = Operation::GetPrompt { name: name.to_owned(), arguments };
        self.operate(server, operation, options).await
    }

    /// Carries out anything but the call of a tool, which has [`Host::call`], and subscriptions.
    pub async fn operate(
        &self,
        server: &ServerId,
        operation: Operation,
        options: Options,
    ) -> Result<Outcome, CallError> {
        let target = operation.target().unwrap_or_default().to_owned();
        let mut record = Record::open(operation.word(), &target, self.listener());
        let (cancel, deadline) = (options.cancel.clone(), options.deadline);
        let work = async {
            let upstream = self.reached(server, &operation)?;
            record.is_for(server, &target);
            let permitted = self.permitted(&upstream, operation).await?;
            record.began();
            let timeout = upstream.entry().value.timeouts.request.duration();
            self.rounds(&upstream, &permitted, options, timeout, None).await
        };
        let ended = bounded(&cancel, deadline, work).await;
        close(record, ended)
    }

    /// Hears of changes of a resource, as events, until [`Host::unsubscribe`]; over reconnects too.
    pub async fn subscribe(&self, server: &ServerId, uri: &str) -> Result<(), CallError> {
        let operation = Operation::Subscribe { uri: uri.to_owned() };
        self.recorded(server, operation, async |upstream, permitted| {
            upstream.subscribe(permitted).await
        })
        .await
    }

    pub async fn unsubscribe(&self, server: &ServerId, uri: &str) -> Result<(), CallError> {
        let operation = Operation::Unsubscribe { uri: uri.to_owned() };
        self.recorded(server, operation, async |upstream, permitted| {
            upstream.unsubscribe(permitted).await
        })
        .await
    }

    async fn recorded(
        &self,
        server: &ServerId,
        operation: Operation,
        carry_out: impl AsyncFnOnce(&Upstream, Permitted<Operation>) -> Result<(), UpstreamError>,
    ) -> Result<(), CallError> {
        let target = operation.target().unwrap_or_default().to_owned();
        let mut record = Record::open(operation.word(), &target, self.listener());
        let work = async {
            let upstream = self.reached(server, &operation)?;
            record.is_for(server, &target);
            let permitted = self.permitted(&upstream, operation).await?;
            record.began();
            let server = server.clone();
            let done = carry_out(&upstream, permitted).await;
            done.map_err(|error| Trouble::Upstream { server, error })
        };
        match work.await {
            Ok(()) => {
                record.finish(Ending::Done);
                Ok(())
            }
            Err(trouble) => close(record, Err(trouble)).map(|_| ()),
        }
    }

    /// What a caller cannot see does not exist.
    fn reached(&self, server: &ServerId, operation: &Operation) -> Result<Arc<Upstream>, Trouble> {
        let target = operation.target().unwrap_or_default();
        let upstream = self.inner.servers.get(server).filter(|upstream| upstream.is_usable());
        let shown =
            |upstream: &Arc<Upstream>| is_shown(&upstream.entry().value, server, operation, target);
        upstream.filter(shown).ok_or_else(|| Trouble::NotFound(format!("{server}/{target}")))
    }

    async fn permitted(
        &self,
        upstream: &Upstream,
        operation: Operation,
    ) -> Result<Permitted<Operation>, Trouble> {
        let decision = self.inner.guard.decide(&Subject {
            server: upstream.id(),
            trust: upstream.trust(),
            operation: &operation,
            definition: None,
        });
        Ok(self.inner.guard.approve(decision, operation).await?)
    }
}

fn is_shown(entry: &Server, server: &ServerId, operation: &Operation, target: &str) -> bool {
    match operation {
        // Has a page of its own, and is never carried out from here.
        Operation::CallTool { .. } => false,
        Operation::ReadResource { .. }
        | Operation::Subscribe { .. }
        | Operation::Unsubscribe { .. } => admits(&entry.resources, server, target),
        Operation::GetPrompt { .. } => admits(&entry.prompts, server, target),
        Operation::Complete { .. } => true,
    }
}
