//! What a command printed, as the result of a tool: structured where it fits the entry's schema, else its
//! text, the end of what it complained about, and how it ended.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_sandbox::ProgramExit;
use toolgate_types::config::CommandTool;
use toolgate_types::{OperationOutcome, OperationResult};
use toolgate_wire::MessageLimits;

use super::kept_output::KeptOutput;
use super::refused::RefusedByWalls;
use super::tally::CommandFigures;
use crate::reply::ServerReply;
use crate::spill::AnswerSpill;
use crate::spilled_answer::{SpillPlace, SpilledAnswer};

/// Whether an output fits the schema that its entry has for it.
pub type OutputCheck<'a> = &'a (dyn Fn(&str) -> bool + Sync);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CommandResult<'a> {
    content: Vec<TextItem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: ResultMeta,
}

#[derive(Serialize)]
struct TextItem<'a> {
    r#type: &'static str,
    text: &'a str,
}

impl<'a> TextItem<'a> {
    fn new(text: &'a str) -> Self {
        Self { r#type: "text", text }
    }
}

#[derive(Serialize)]
struct ResultMeta {
    #[serde(rename = "toolgate/command")]
    command: ResultFigures,
}

#[derive(Serialize)]
struct ResultFigures {
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    stdout_bytes: u64,
    stderr_bytes: u64,
    /// Whether what is no text was replaced in what is shown of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_binary: bool,
}

/// How a command ended, and with what.
pub(super) struct EndedCommand<'a> {
    pub(super) tool: &'a CommandTool,
    pub(super) exit: ProgramExit,
    pub(super) figures: CommandFigures,
    pub(super) kept: &'a KeptOutput,
    pub(super) refused: &'a RefusedByWalls,
}

impl EndedCommand<'_> {
    /// The result, of what is held.
    pub(super) fn outcome(&self, fits: Option<OutputCheck<'_>>) -> OperationOutcome {
        let text = self.kept.stdout.text();
        let whole = self.kept.stdout.whole().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let trimmed = whole.map(str::trim).filter(|text| text.starts_with('{'));
        let structured = trimmed
            .filter(|text| self.exit.is_success() && fits.is_some_and(|fits| fits(text)))
            .and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
        let is_unfit = fits.is_some() && structured.is_none();
        let remarks = self.remarks(is_unfit && self.exit.is_success());
        let shown = if text.is_empty() && remarks.is_empty() { "(no output)" } else { &text };
        let content = Some(shown).filter(|shown| !shown.is_empty());
        let content = content.into_iter().chain(remarks.iter().map(String::as_str));
        let is_error = !self.exit.is_success() || is_unfit;
        let result = CommandResult {
            content: content.map(TextItem::new).collect(),
            structured_content: structured,
            is_error,
            meta: self.meta(),
        };
        // Texts and numbers: nothing here can fail to be written.
        let result = to_raw_value(&result).unwrap_or_default();
        OperationOutcome::Done(OperationResult { is_error, result })
    }

    fn meta(&self) -> ResultMeta {
        let CommandFigures { exit_code, signal, stdout_bytes, stderr_bytes } = self.figures;
        let is_binary = std::str::from_utf8(self.kept.stdout.head()).is_err();
        let command = ResultFigures { exit_code, signal, stdout_bytes, stderr_bytes, is_binary };
        ResultMeta { command }
    }

    /// What is said beside its output.
    fn remarks(&self, is_unfit: bool) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(tail) = self.kept.stderr_tail() {
            remarks.push(format!("[stderr]\n{tail}"));
        }
        if !self.exit.is_success() {
            remarks.push(format!("[the command {}]", self.exit));
            remarks.extend(self.refused.hint(&self.tool.confinement, self.kept));
        }
        if is_unfit {
            remarks.push("[its output does not fit the tool's output schema]".to_owned());
        }
        remarks
    }
}

/// A result that is too long to hold, on its way to a file: its first text is what the command prints.
pub(super) struct ResultSpill {
    spill: AnswerSpill,
    limits: MessageLimits,
}

impl ResultSpill {
    pub(super) async fn begin(place: &SpillPlace, limits: &MessageLimits) -> Self {
        let mut spill = AnswerSpill::begin(place, limits);
        let start = r#"{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":""#;
        spill.feed(start.as_bytes()).await;
        Self { spill, limits: *limits }
    }

    pub(super) async fn feed(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        // Texts can be written.
        let quoted = serde_json::to_string(&text).unwrap_or_default();
        let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        self.spill.feed(inner.as_bytes()).await;
    }

    /// The result and what is held of it; nothing where it could not be kept.
    pub(super) async fn end(
        mut self,
        ended: &EndedCommand<'_>,
        promised: bool,
    ) -> Option<(OperationOutcome, SpilledAnswer)> {
        let is_error = !ended.exit.is_success() || promised;
        let mut rest = String::from("\"}");
        for remark in ended.remarks(promised && ended.exit.is_success()) {
            rest.push(',');
            rest.push_str(&serde_json::to_string(&TextItem::new(&remark)).unwrap_or_default());
        }
        let meta = serde_json::to_string(&ended.meta()).unwrap_or_default();
        rest.push_str(&format!("],\"isError\":{is_error},\"_meta\":{meta}}}}}"));
        self.spill.feed(rest.as_bytes()).await;
        match self.spill.end(&self.limits).await {
            (_, Ok(ServerReply::Spilled { raw, spilled })) => {
                let result = raw.unwrap_or_default();
                Some((OperationOutcome::Done(OperationResult { is_error, result }), spilled))
            }
            _ => None,
        }
    }
}
