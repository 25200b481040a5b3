//! What is no call of a tool: resources, prompts, completion. The same steps, the same guard, the
//! same record.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_audit::{CallRecord, CallStep};
use toolgate_guard::{ApprovalSubject, MatterKind, PermissionWithheld, Permitted, Refusal};
use toolgate_types::{CallEnding, CallError, Digest, Operation, OperationOutcome, ServerId};
use toolgate_upstream::{ConnectionLease, Upstream, UpstreamError};

use super::call_trouble::CallTrouble;
use super::complete_argument::filled_template;
use super::decide::subject;
use super::parking::{ReadyOperation, ResultScreen, refuse_answers};
use super::screen::ScreenFor;
use super::{CallOptions, bounded, close};
use crate::{Audience, Host};

impl Host {
    /// Reads a resource of a server by the URI that the server has for it.
    pub async fn read_resource(
        &self,
        server: &ServerId,
        uri: &str,
        options: CallOptions,
    ) -> Result<OperationOutcome, CallError> {
        self.operate(server, Operation::ReadResource { uri: uri.to_owned() }, options).await
    }

    /// Gets a prompt of a server, filled in with these arguments.
    pub async fn get_prompt(
        &self,
        server: &ServerId,
        name: &str,
        arguments: Option<Arc<RawValue>>,
        options: CallOptions,
    ) -> Result<OperationOutcome, CallError> {
        let operation = Operation::GetPrompt { name: name.into(), arguments };
        self.operate(server, operation, options).await
    }

    /// Carries out anything but the call of a tool, which has [`Host::call`], and subscriptions.
    pub async fn operate(
        &self,
        server: &ServerId,
        operation: Operation,
        mut options: CallOptions,
    ) -> Result<OperationOutcome, CallError> {
        let target: Arc<str> = operation.target().unwrap_or_default().into();
        let caller = options.caller.clone();
        let mut record = self.inner.journal.open(operation.word(), Arc::clone(&target), caller);
        record.within(options.trace());
        let (cancel, deadline) = (options.cancel.clone(), options.deadline);
        let reads = matches!(operation, Operation::ReadResource { .. });
        let work = async {
            record.is_for(server, Arc::clone(&target));
            let upstream = self.reached(server, &operation, &options)?;
            let timeout = upstream.entry().value.timeouts.request.duration();
            let audience = Arc::new(Audience::at(options.address.clone()));
            record.under(self.terms_for(&audience, &upstream, timeout));
            let permitted = self.permitted(server, operation, &options, &mut record).await?;
            let (upstream, held) = self.held(upstream, permitted.get(), &options).await?;
            if held.asks_meanwhile() && options.returns() {
                let note = Box::pin(self.returned(&mut options)).await?.note;
                let what = (upstream.id().as_str(), permitted.get());
                let record = (&mut record, self.records_always());
                return self.go_on(&note, what, options, record).await;
            }
            refuse_answers(&held, options.retry.as_ref())?;
            record.begin(self.records_always()).await?;
            let reader = ScreenFor::new(self, &options, record.correlation(), &audience);
            if self.may_park(&held, &options) {
                let (definition, result) = (None, ResultScreen::Read(reads.then_some(target)));
                let ready = ReadyOperation {
                    upstream,
                    held,
                    permitted,
                    definition,
                    timeout,
                    result,
                    reader,
                };
                return self.perform_or_park(ready, options, None, &mut record).await;
            }
            let performed = self
                .rounds(&upstream, held, &permitted, options, (timeout, None), &mut record)
                .await?;
            self.screen_read(performed, &upstream, reads.then_some(&*target), &reader).await
        };
        let ended = bounded(&cancel, deadline, Box::pin(work).as_mut()).await;
        close(record, ended).await
    }

    /// Hears of changes of a resource, as events, until [`Host::unsubscribe`]; over reconnects too.
    pub async fn subscribe(
        &self,
        server: &ServerId,
        uri: &str,
        options: CallOptions,
    ) -> Result<(), CallError> {
        let operation = Operation::Subscribe { uri: uri.to_owned() };
        self.recorded(server, operation, &options, async |upstream, permitted| {
            upstream.subscribe(permitted).await
        })
        .await
    }

    /// Ends what [`Self::subscribe`] began.
    pub async fn unsubscribe(
        &self,
        server: &ServerId,
        uri: &str,
        options: CallOptions,
    ) -> Result<(), CallError> {
        let operation = Operation::Unsubscribe { uri: uri.to_owned() };
        self.recorded(server, operation, &options, async |upstream, permitted| {
            upstream.unsubscribe(permitted).await
        })
        .await
    }

    async fn recorded(
        &self,
        server: &ServerId,
        operation: Operation,
        options: &CallOptions,
        carry_out: impl AsyncFnOnce(&Upstream, Permitted<Operation>) -> Result<(), UpstreamError>,
    ) -> Result<(), CallError> {
        let target: Arc<str> = operation.target().unwrap_or_default().into();
        let mut record =
            self.inner.journal.open(operation.word(), Arc::clone(&target), options.caller.clone());
        record.within(options.trace());
        let work = async {
            record.is_for(server, target);
            let upstream = self.reached(server, &operation, options)?;
            let permitted = self.permitted(server, operation, options, &mut record).await?;
            record.begin(self.records_always()).await?;
            let server = server.clone();
            let done = carry_out(&upstream, permitted).await;
            done.map_err(|error| CallTrouble::Upstream { server, error })
        };
        match work.await {
            Ok(()) => {
                record.finish(CallEnding::Done, 0, None).await;
                Ok(())
            }
            Err(trouble) => close(record, Err(trouble)).await.map(|_| ()),
        }
    }

    /// A connection to it. Where its entry is loaded anew meanwhile, to the one that took its place.
    async fn held(
        &self,
        mut upstream: Arc<Upstream>,
        operation: &Operation,
        options: &CallOptions,
    ) -> Result<(Arc<Upstream>, ConnectionLease), CallTrouble> {
        loop {
            let server = upstream.id().clone();
            match upstream.hold(self.user(options)).await {
                Ok(held) => return Ok((upstream, held)),
                Err(UpstreamError::Closed) if upstream.is_retired() => {
                    upstream = self.reached(&server, operation, options)?;
                }
                Err(error) => return Err(CallTrouble::Upstream { server, error }),
            }
        }
    }

    /// What a caller cannot see does not exist; tools have a page of their own.
    fn reached(
        &self,
        server: &ServerId,
        operation: &Operation,
        options: &CallOptions,
    ) -> Result<Arc<Upstream>, CallTrouble> {
        let (kind, name) = subject(operation);
        let upstream = self.inner.servers.get(server).filter(|upstream| upstream.is_usable());
        let view = self.view(&Audience::at(options.address.clone()));
        let filled = filled_template(operation).filter(|_| kind == MatterKind::Resource);
        let is_shown = kind != MatterKind::Tool
            && view.shows(server, kind, &name)
            && filled.is_none_or(|uri| view.shows(server, kind, &uri));
        let unknown = || CallTrouble::NotFound(format!("{server}/{name}"));
        upstream.filter(|_| is_shown).ok_or_else(unknown)
    }

    async fn permitted(
        &self,
        server: &ServerId,
        operation: Operation,
        options: &CallOptions,
        record: &mut CallRecord,
    ) -> Result<Permitted<Operation>, CallTrouble> {
        let decision = self.decide_operation(server, &operation, options)?;
        self.log_decision(record, options, server, &decision);
        record.decided(decision.word(), decision.rule());
        record.took(CallStep::Decide);
        let subject = || ApprovalSubject {
            server: server.as_str(),
            definition: Digest([0; 32]),
            caller: options.caller.as_deref(),
            address: options.address.parts(),
            policy: None,
            command: None,
        };
        match self.inner.guard.permit(decision, operation, subject, None) {
            Ok(permitted) => Ok(permitted),
            Err(PermissionWithheld::Refused(refusal)) => Err(refusal.into()),
            // Nothing but tools is asked for.
            Err(PermissionWithheld::Unasked(unasked)) => {
                Err(Refusal::NoChannel(unasked.reason).into())
            }
        }
    }
}
