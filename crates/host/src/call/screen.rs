//! Results that fit who reads them: a text that is too long becomes its beginning, media that the
//! reader does not take or cannot bear become a reference, and the whole is kept beside the
//! database.
//!
//! The limit for text is the smaller one of the tool's and the reader's own; where neither has one,
//! that of the configuration. A result that fits passes as the bytes it is, from its file where it is too
//! long to hold and its reader takes that, and so does what cannot be kept: it was asked for. What a caller checks against a schema it was shown still fits that
//! schema. Only media never reach a reader that does not take them. Prompts and
//! completions are not cut: a person chose them.

mod fit;
mod items;
mod keep_artifact;
mod mask_result;
mod media;
mod read_artifact;
mod refer_media;
mod spilled;
mod structured;
mod texts;

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::{
    CorrelationId, Definition, LayerGrade, OperationOutcome, OperationResult, Principal,
};
use toolgate_upstream::{RequestError, SpilledAnswer, Upstream};

use super::call_trouble::CallTrouble;
use super::rounds::PerformedOperation;
use super::{CallOptions, ResultReader};
use crate::output_schema::OutputSchema;
use crate::{Audience, Host};
use fit::fitted;
use items::ResultShape;
use keep_artifact::ArtifactKeeper;

/// For whom a result is screened.
#[derive(Clone)]
pub(super) struct ScreenFor {
    principal: Principal,
    correlation: CorrelationId,
    reader: ResultReader,
    /// What it sees, to be told by which tool it reads on.
    audience: Arc<Audience>,
}

/// How much of a result passes, and what it must go on to be.
#[derive(Clone, Copy)]
struct ResultRoom<'a> {
    limit: usize,
    /// The definition whose schema for structured content the caller was shown, where it was shown one.
    shown: Option<&'a RawValue>,
}

impl<'a> ResultRoom<'a> {
    /// That schema. Looked for only where a result does not pass as it is.
    fn promised(&self) -> Option<&'a RawValue> {
        self.shown.and_then(OutputSchema::raw)
    }
}

impl ScreenFor {
    pub(super) fn new(
        host: &Host,
        options: &CallOptions,
        correlation: CorrelationId,
        audience: &Arc<Audience>,
    ) -> Self {
        let (principal, audience) = (host.principal(options), Arc::clone(audience));
        Self { principal, correlation, reader: options.reader, audience }
    }

    pub(super) fn reader(&self) -> ResultReader {
        self.reader
    }

    /// Of a result that is told within something else.
    pub(super) fn within_report(&self) -> Self {
        let reader = ResultReader { takes_length: false, ..self.reader };
        Self { reader, ..self.clone() }
    }
}

impl Host {
    /// The result of a tool.
    pub(super) async fn screen(
        &self,
        performed: PerformedOperation,
        upstream: &Upstream,
        listed: &Definition,
        caller: &ScreenFor,
    ) -> Result<OperationOutcome, CallTrouble> {
        let (entry, tool) = (&upstream.entry().value, &*listed.key);
        let own = entry.tool_settings.get(tool).and_then(|tool| tool.result_bytes);
        let shown = (!entry.omit_output_schemas).then_some(&*listed.raw);
        let room = ResultRoom { limit: self.text_limit(own, caller.reader), shown };
        let server = upstream.id();
        let keeper = ArtifactKeeper { host: self, caller, server, tool, kept: None };
        self.screen_performed(performed, upstream, keeper, (ResultShape::ToolResult, room)).await
    }

    /// Masked and cut to its room, whether it was held or spilled.
    async fn screen_performed(
        &self,
        performed: PerformedOperation,
        upstream: &Upstream,
        keeper: ArtifactKeeper<'_>,
        (shape, room): (ResultShape, ResultRoom<'_>),
    ) -> Result<OperationOutcome, CallTrouble> {
        let PerformedOperation { outcome, spilled } = performed;
        if let Some(spilled) = spilled {
            let screening = self.screen_spilled(outcome, *spilled, upstream, keeper, (shape, room));
            return Box::pin(screening).await;
        }
        let outcome = self.mask(outcome, upstream, Some(shape));
        Ok(fitted(outcome, &keeper, shape, room).await)
    }

    /// A result that was too long to hold.
    async fn screen_spilled(
        &self,
        outcome: OperationOutcome,
        spilled: SpilledAnswer,
        upstream: &Upstream,
        keeper: ArtifactKeeper<'_>,
        (shape, room): (ResultShape, ResultRoom<'_>),
    ) -> Result<OperationOutcome, CallTrouble> {
        let OperationOutcome::Done(held) = outcome else { return Err(CallTrouble::Unreadable) };
        if upstream.entry().value.mask_results {
            // It cannot be masked without being held, nor kept without being masked.
            let why = "it cannot be masked, as the server's entry asks for".to_owned();
            return Err(keeper.too_large(RequestError::TooLarge { why, detail: None }));
        }
        if self.passes_whole(&spilled, upstream, keeper.caller.reader, room) {
            // Together no more than what may be kept: where readers are slow, the next are cut.
            let (passing, most) = (&self.inner.passing, self.limits().artifact_bytes);
            if let Some(long) = spilled.long_result(&held, passing, most) {
                return Ok(OperationOutcome::DoneAtLength(long));
            }
        }
        let (outcome, artifact) = spilled::held(held, &spilled, &keeper, (shape, room)).await?;
        // What is still too long is cut, and says that it is in there.
        let keeper = ArtifactKeeper { kept: Some(artifact), ..keeper };
        Ok(fitted(outcome, &keeper, shape, room).await)
    }

    /// Whether all of a result that was put aside passes to who reads it. A project's entry may allow more than
    /// the person does of what is held, and no more than that of what is not.
    fn passes_whole(
        &self,
        spilled: &SpilledAnswer,
        upstream: &Upstream,
        reader: ResultReader,
        room: ResultRoom<'_>,
    ) -> bool {
        let (_, part) = spilled.result();
        let bytes = part.end.saturating_sub(part.start);
        let is_persons = upstream.entry().origin.grade == LayerGrade::Person;
        reader.takes_length
            && reader.takes_media
            && usize::try_from(bytes).is_ok_and(|bytes| bytes <= room.limit)
            && (is_persons || bytes <= self.limits().result_bytes)
    }

    /// The result of anything else; only the contents of resources have to fit.
    pub(super) async fn screen_read(
        &self,
        performed: PerformedOperation,
        upstream: &Upstream,
        resource: Option<&str>,
        caller: &ScreenFor,
    ) -> Result<OperationOutcome, CallTrouble> {
        let Some(uri) = resource else {
            return match performed.spilled {
                None => Ok(self.mask(performed.outcome, upstream, None)),
                // A prompt that is too long to hold is no prompt.
                Some(_) => {
                    let error = RequestError::too_large().into();
                    Err(CallTrouble::Upstream { server: upstream.id().clone(), error })
                }
            };
        };
        let room = ResultRoom { limit: self.text_limit(None, caller.reader), shown: None };
        let server = upstream.id();
        let keeper = ArtifactKeeper { host: self, caller, server, tool: uri, kept: None };
        self.screen_performed(performed, upstream, keeper, (ResultShape::Resource, room)).await
    }

    pub(super) fn text_limit(&self, tool: Option<u64>, reader: ResultReader) -> usize {
        let own = [tool, reader.result_bytes].into_iter().flatten().min();
        usize::try_from(own.unwrap_or(self.limits().result_bytes)).unwrap_or(usize::MAX)
    }

    /// Without the secrets in it, where the entry of the server asks for that.
    fn mask(
        &self,
        outcome: OperationOutcome,
        upstream: &Upstream,
        shape: Option<ResultShape>,
    ) -> OperationOutcome {
        match outcome {
            OperationOutcome::Done(OperationResult { is_error, result })
                if upstream.entry().value.mask_results =>
            {
                let result = mask_result::masked(&result, shape, self.inner.journal.masker());
                OperationOutcome::Done(OperationResult { is_error, result })
            }
            outcome => outcome,
        }
    }
}
