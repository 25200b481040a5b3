//! `artifact_read`: a part of a kept result, by lines or by bytes.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_store::{ArtifactPage, ArtifactRange, ArtifactReader, KeptFor, is_text};
use toolgate_types::config::ApprovalMode;

use super::{WorkflowRefusal, WorkflowServer, WorkflowToolRun};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

/// What one call gives, and how long that may be once it is written as JSON: it is there twice, as text and
/// as structured content, and a result that is too long would itself be put aside.
const MOST: u64 = 16 << 10;
const MOST_WRITTEN: usize = 20 << 10;

/// Reads a part of a kept result.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRead {
    /// Its id or address.
    pub artifact: String,
    /// Counted from 1.
    pub start_line: Option<u64>,
    /// Itself included.
    pub end_line: Option<u64>,
    /// Counted from 0.
    pub start_byte: Option<u64>,
    /// Itself included.
    pub end_byte: Option<u64>,
}

/// A part of a kept result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArtifactPart {
    pub mime: String,
    /// Of the whole, in bytes.
    pub size: u64,
    /// The part, if it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Else so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// Where to go on, if this is not all that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_byte: Option<u64>,
}

impl BuiltinTool for ArtifactRead {
    const OFFER: OfferedTool = OfferedTool {
        name: "artifact_read",
        title: "Read a kept result",
        description: "Reads a result that was too long and is kept as an artifact, by lines or by \
                      bytes, up to 16 KiB at a time.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = ArtifactPart;
}

impl ArtifactRead {
    fn range(&self) -> Result<ArtifactRange, WorkflowRefusal> {
        let Self { start_line, end_line, start_byte, end_byte, .. } = *self;
        let lines = start_line.is_some() || end_line.is_some();
        let bytes = start_byte.is_some() || end_byte.is_some();
        let range = match (lines, bytes) {
            (true, true) => return Err(WorkflowRefusal::BothRanges),
            (true, false) => {
                let first = start_line.unwrap_or(1).max(1);
                (first, end_line.unwrap_or(u64::MAX), ArtifactRange::Lines as fn(_, _) -> _)
            }
            (false, true) => {
                let range = (start_byte.unwrap_or(0), end_byte.unwrap_or(u64::MAX));
                (range.0, range.1, ArtifactRange::Bytes as fn(_, _) -> _)
            }
            (false, false) => return Ok(ArtifactRange::Whole),
        };
        match range {
            (from, to, _) if from > to => Err(WorkflowRefusal::Range),
            (from, to, made) => Ok(made(from, to)),
        }
    }
}

#[async_trait]
impl WorkflowToolRun for ArtifactRead {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<ArtifactPart, WorkflowRefusal> {
        let range = self.range()?;
        let artifact = server.artifact(&owner, &self.artifact).await?;
        let is_text = is_text(&artifact.mime);
        if matches!(range, ArtifactRange::Lines(..)) && !is_text {
            return Err(WorkflowRefusal::NoLines(artifact.mime));
        }
        let book = ArtifactReader { kept: &*server.artifacts, artifact: &artifact, is_text };
        let mut most = MOST;
        let page = loop {
            let mut page = book.page(range, most).await?;
            if is_text && std::str::from_utf8(&page.bytes).is_err() {
                // It only says that it is text, so it was not for us to look for characters.
                page = ArtifactReader { is_text: false, ..book }.page(range, most).await?;
            }
            let written = serde_json::to_string(&String::from_utf8_lossy(&page.bytes));
            match written.is_ok_and(|written| written.len() > MOST_WRITTEN) && most > 1024 {
                true => most /= 2,
                false => break page,
            }
        };
        let ArtifactPage { bytes, next } = page;
        let (text, base64) = match String::from_utf8(bytes) {
            Ok(text) if is_text => (Some(text), None),
            Ok(text) => (None, Some(STANDARD.encode(text))),
            Err(error) => (None, Some(STANDARD.encode(error.as_bytes()))),
        };
        let (next_line, next_byte) = match next {
            Some(ArtifactRange::Lines(line, _)) => (Some(line), None),
            Some(ArtifactRange::Bytes(byte, _)) => (None, Some(byte)),
            Some(ArtifactRange::Whole) | None => (None, None),
        };
        let (mime, size) = (artifact.mime.clone(), artifact.size);
        Ok(ArtifactPart { mime, size, text, base64, next_line, next_byte })
    }
}

impl BuiltinToolOutput for ArtifactPart {
    /// The part alone comes first, so that nothing stands between a reader and it.
    fn text(&self) -> Vec<String> {
        let part = self.text.clone().or_else(|| self.base64.clone()).unwrap_or_default();
        let next = match (self.next_line, self.next_byte) {
            (Some(line), _) => Some(format!("There is more: go on with `start_line` {line}.")),
            (_, Some(byte)) => Some(format!("There is more: go on with `start_byte` {byte}.")),
            _ => None,
        };
        std::iter::once(part).chain(next).collect()
    }
}
