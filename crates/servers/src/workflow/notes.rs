//! `note_add` and `notes_list`: what is worth remembering of the work.

use std::time::SystemTime;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_store::{KeptFor, KeptNote, NewNote};
use toolgate_types::config::ApprovalMode;
use toolgate_types::{ToolHints, since_1970};

use super::plan::bounded;
use super::{WorkflowRefusal, WorkflowServer, WorkflowToolRun};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

const LONGEST: usize = 4_000;
/// Of one caller in one workspace.
const MOST_KEPT: u32 = 500;
/// Together no longer than a result may be.
const MOST_LISTED: u32 = 50;
const MOST_BYTES: usize = 16 << 10;

/// Keeps a note.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteAdd {
    pub text: String,
}

/// Lists notes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotesList {
    /// Only notes with a smaller number.
    pub before: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptNoteNumber {
    pub number: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteList {
    /// The newest first.
    pub notes: Vec<NoteText>,
    /// Go on with `before` the last number.
    pub more: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteText {
    pub number: u64,
    /// In seconds since 1970.
    pub written_at: u64,
    pub text: String,
}

impl BuiltinTool for NoteAdd {
    const OFFER: OfferedTool = OfferedTool {
        name: "note_add",
        title: "Keep a note",
        description: "Keeps a note for later sessions of yours in this workspace, up to 4000 \
                      bytes; the newest 500 stay.",
        hints: ToolHints {
            read_only: Some(false),
            destructive: Some(false),
            idempotent: Some(false),
            open_world: Some(false),
        },
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = KeptNoteNumber;
}

impl BuiltinTool for NotesList {
    const OFFER: OfferedTool = OfferedTool {
        name: "notes_list",
        title: "List the notes",
        description: "Lists your notes of this workspace, the newest first.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = NoteList;
}

#[async_trait]
impl WorkflowToolRun for NoteAdd {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<KeptNoteNumber, WorkflowRefusal> {
        bounded("text", &self.text, LONGEST)?;
        if self.text.trim().is_empty() {
            return Err(WorkflowRefusal::Empty("text"));
        }
        let note = NewNote { text: self.text, written_at: since_1970(SystemTime::now()) };
        let number = server.book.add_note(&owner, note, MOST_KEPT).await?;
        Ok(KeptNoteNumber { number })
    }
}

#[async_trait]
impl WorkflowToolRun for NotesList {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<NoteList, WorkflowRefusal> {
        let found = server.book.notes(&owner, self.before, MOST_LISTED + 1).await?;
        let (count, mut room, mut notes) = (found.len(), MOST_BYTES, Vec::new());
        for KeptNote { number, text, written_at } in found.into_iter().take(MOST_LISTED as usize) {
            let Some(left) = room.checked_sub(text.len()) else { break };
            room = left;
            notes.push(NoteText { number, written_at: written_at / 1000, text });
        }
        Ok(NoteList { more: notes.len() < count, notes })
    }
}

impl BuiltinToolOutput for KeptNoteNumber {
    fn text(&self) -> Vec<String> {
        vec![format!("Kept as note {}.", self.number)]
    }
}

impl BuiltinToolOutput for NoteList {
    fn text(&self) -> Vec<String> {
        if self.notes.is_empty() {
            return vec!["There are no notes.".to_owned()];
        }
        let line = |note: &NoteText| format!("{}: {}", note.number, note.text);
        let last = self.notes.last().filter(|_| self.more);
        let more = last.map(|note| format!("There is more: go on with `before` {}.", note.number));
        std::iter::once(self.notes.iter().map(line).collect::<Vec<_>>().join("\n"))
            .chain(more)
            .collect()
    }
}
