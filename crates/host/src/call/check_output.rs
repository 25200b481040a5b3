//! Whether a result is what its tool's `outputSchema` promises. What surely is not is a warning in the
//! record of the call, or an error where the entry of the server is strict.
//!
//! A tool that failed promised nothing. What was too long to hold, or is beyond what can be checked,
//! is passed on.

use toolgate_types::{OperationOutcome, OperationResult};
use toolgate_upstream::Upstream;

use super::call_trouble::CallTrouble;
use super::rounds::PerformedOperation;
use crate::entry::ToolEntry;
use crate::members::members;

/// The warning, where there is one.
pub(super) fn check_output(
    performed: &PerformedOperation,
    (upstream, entry): (&Upstream, &ToolEntry),
) -> Result<Option<String>, CallTrouble> {
    let PerformedOperation { outcome, spilled } = performed;
    let OperationOutcome::Done(OperationResult { is_error: false, result }) = outcome else {
        return Ok(None);
    };
    let Some(promised) = entry.promised().filter(|_| spilled.is_none()) else { return Ok(None) };
    let [content] = members(result, ["structuredContent"]).unwrap_or_default();
    let Some(why) = promised.broken_by(content) else { return Ok(None) };
    let server = &upstream.entry().value;
    let own = entry.definition().and_then(|tool| server.tool_settings.get(&*tool.key));
    if own.and_then(|own| own.strict_output).unwrap_or(server.strict_output) {
        return Err(CallTrouble::BrokenPromise(upstream.id().clone(), why));
    }
    Ok(Some(format!("the result is not what `outputSchema` promises: {why}")))
}
