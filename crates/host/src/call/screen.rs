//! Results that fit who reads them: a text that is too long becomes its beginning, media that the
//! reader does not take or cannot bear become a reference, and the whole is kept beside the
//! database.
//!
//! The limit for text is the smaller one of the tool's and the reader's own; where neither has one,
//! that of the configuration. A result that fits passes as the bytes it is, and so does what cannot
//! be kept: it was asked for. Only media never reach a reader that does not take them. Prompts and
//! completions are not cut: a person chose them.

mod items;
mod keeping;
mod masking;
mod media;
mod reading;
mod texts;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{CorrelationId, Done, Outcome};
use toolgate_upstream::Upstream;

use super::{Options, Reader};
use crate::Host;
use items::{Item, Members, Shape};
use keeping::Keeper;
use media::Repeats;

/// For whom a result is screened.
pub(super) struct ScreenFor {
    principal: String,
    correlation: CorrelationId,
    reader: Reader,
}

impl ScreenFor {
    pub(super) fn new(host: &Host, options: &Options, correlation: CorrelationId) -> Self {
        let principal = host.principal(options).as_str().to_owned();
        Self { principal, correlation, reader: options.reader }
    }
}

impl Host {
    /// The result of a tool.
    pub(super) async fn screen(
        &self,
        outcome: Outcome,
        upstream: &Upstream,
        tool: &str,
        caller: &ScreenFor,
    ) -> Outcome {
        let settings = upstream.entry().value.tool_settings.get(tool);
        let own = settings.and_then(|tool| tool.result_bytes);
        let limit = self.text_limit(own, caller.reader);
        let keeper = Keeper { host: self, caller, server: upstream.id().as_str(), tool };
        let outcome = self.mask(outcome, upstream, Some(Shape::ToolResult));
        fitted(outcome, &keeper, Shape::ToolResult, limit).await
    }

    /// The result of anything else; only the contents of resources have to fit.
    pub(super) async fn screen_read(
        &self,
        outcome: Outcome,
        upstream: &Upstream,
        resource: Option<&str>,
        caller: &ScreenFor,
    ) -> Outcome {
        let outcome = self.mask(outcome, upstream, resource.map(|_| Shape::Resource));
        let Some(uri) = resource else { return outcome };
        let limit = self.text_limit(None, caller.reader);
        let keeper = Keeper { host: self, caller, server: upstream.id().as_str(), tool: uri };
        fitted(outcome, &keeper, Shape::Resource, limit).await
    }

    fn text_limit(&self, tool: Option<u64>, reader: Reader) -> usize {
        let own = [tool, reader.result_bytes].into_iter().flatten().min();
        usize::try_from(own.unwrap_or(self.limits().result_bytes)).unwrap_or(usize::MAX)
    }

    /// Without the secrets in it, where the entry of the server asks for that.
    fn mask(&self, outcome: Outcome, upstream: &Upstream, shape: Option<Shape>) -> Outcome {
        match outcome {
            Outcome::Done(Done { is_error, result }) if upstream.entry().value.mask_results => {
                let result = masking::masked(&result, shape, self.inner.journal.masker());
                Outcome::Done(Done { is_error, result })
            }
            outcome => outcome,
        }
    }
}

async fn fitted(outcome: Outcome, keeper: &Keeper<'_>, shape: Shape, limit: usize) -> Outcome {
    let Outcome::Done(Done { is_error, result }) = outcome else { return outcome };
    let may_pass = keeper.caller.reader.takes_media && result.get().len() <= limit;
    let fitting = if may_pass { None } else { Box::pin(fit(&result, keeper, shape, limit)).await };
    Outcome::Done(Done { is_error, result: fitting.unwrap_or(result) })
}

/// The result as it fits, or nothing if it may pass as it is.
async fn fit(
    result: &RawValue,
    keeper: &Keeper<'_>,
    shape: Shape,
    limit: usize,
) -> Option<Box<RawValue>> {
    let mut members: Members = serde_json::from_str(result.get()).ok()?;
    let mut items = members.get(shape.list()).map(|list| shape.items(list)).unwrap_or_default();
    let mut repeats = Repeats::default();
    media::refer(&mut items, &mut repeats, keeper, shape).await;
    texts::cut(&mut items, &repeats, keeper, (shape, limit)).await;
    let mut is_changed = items.iter().any(|item| item.instead.is_some());
    if let Some(structured) = members.get("structuredContent")
        && shape == Shape::ToolResult
        && let Some(fitting) = texts::fit_json(structured, &items, &repeats, keeper, limit).await
    {
        is_changed = true;
        match fitting {
            Ok(smaller) => members.insert("structuredContent".to_owned(), smaller),
            Err(reference) => {
                items.push(reference);
                members.shift_remove("structuredContent")
            }
        };
    }
    if !is_changed {
        return None;
    }
    let content: Vec<_> = items.into_iter().flat_map(Item::shown).collect();
    members.insert(shape.list().to_owned(), to_raw_value(&content).ok()?);
    to_raw_value(&members).ok()
}
