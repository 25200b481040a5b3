//! `read_file`: the text of a file, or of some of its lines.

mod media;
mod range;

use std::io::Read as _;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::bounds::StopSignal;
use super::{RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};
pub(crate) use range::LineRange;

const CHUNK: usize = 64 * 1024;

/// Reads a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// The file, relative to the served folder.
    pub path: String,
    /// The first line to give, counted from 1; the first of the file if left out.
    pub start_line: Option<NonZeroU64>,
    /// The last line to give, itself included; the last of the file if left out.
    pub end_line: Option<NonZeroU64>,
}

/// Some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileText {
    /// The file, relative to the served folder, as it is called where no link leads to it.
    pub path: String,
    /// The first line that is given.
    pub start_line: u64,
    /// The last line that is given; one less than the first if there is none.
    pub end_line: u64,
    /// Left out if the file is so large that counting took too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// Not all that was asked for is here: lines are missing at the end, or were cut.
    pub truncated: bool,
    /// The lines as they stand in the file.
    pub text: String,
    /// What is missing, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BuiltinTool for ReadFile {
    const OFFER: OfferedTool = OfferedTool {
        name: "read_file",
        title: "Read a file",
        description: "Reads a text file of the folder, or a range of its lines. At most 2000 \
                      lines and 256 KiB at a time; very long lines are cut.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = FileText;
}

impl RepoToolRun for ReadFile {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<FileText, RepoRefusal> {
        let start = self.start_line.map_or(1, NonZeroU64::get);
        let end = self.end_line.map_or(u64::MAX, NonZeroU64::get);
        if end < start {
            return Err(RepoRefusal::Range { start, end });
        }
        let found = place.folder.find(&self.path)?;
        let path = found.path().to_string_lossy().into_owned();
        let Some(mut file) = found.file else {
            return Err(RepoRefusal::NotFile { path: self.path, what: "a folder" });
        };
        let unreadable = |error: std::io::Error| RepoRefusal::Unreadable {
            path: path.clone(),
            why: error.to_string(),
        };
        let size = file.metadata().map_err(unreadable)?.len();
        let not_text = |mime| RepoRefusal::NotText { path: path.clone(), mime, size };

        let mut range = LineRange::new(start, end, &place.bounds);
        let mut chunk = vec![0; CHUNK];
        let mut is_first = true;
        let is_counted = loop {
            if stop.is_due()? {
                break false;
            }
            let length = file.read(&mut chunk).map_err(unreadable)?;
            let bytes = &chunk[..length];
            if std::mem::take(&mut is_first)
                && let Some(mime) = media::not_text(bytes)
            {
                return Err(not_text(mime));
            }
            if bytes.is_empty() {
                break true;
            }
            range.feed(bytes);
        };
        let taken = range.finish();
        // What began as text may go on as something else.
        if taken.text.contains(&0) {
            return Err(not_text(media::UNKNOWN));
        }
        if taken.count == 0 && start > 1 {
            return Err(match is_counted {
                true => RepoRefusal::PastEnd { path, lines: taken.seen, start },
                false => RepoRefusal::TooSlow(path),
            });
        }
        let last = start + taken.count - 1;
        let is_short = taken.is_full || (!is_counted && last < end);
        Ok(FileText {
            path,
            start_line: start,
            end_line: last,
            total_lines: is_counted.then_some(taken.seen),
            size,
            truncated: is_short || taken.cut > 0,
            text: String::from_utf8_lossy(&taken.text).into_owned(),
            hint: hint(is_short.then_some(last + 1), taken.cut),
        })
    }
}

fn hint(next: Option<u64>, cut: usize) -> Option<String> {
    let more = next.map(|next| format!("There is more: go on with `start_line` {next}."));
    let cut = match cut {
        0 => None,
        1 => Some("One line is so long that it was cut.".to_owned()),
        cut => Some(format!("{cut} lines are so long that they were cut.")),
    };
    let parts: Vec<String> = more.into_iter().chain(cut).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

impl BuiltinToolOutput for FileText {
    /// The text alone comes first, so that nothing stands between a reader and the file.
    fn text(&self) -> Vec<String> {
        std::iter::once(self.text.clone()).chain(self.hint.clone()).collect()
    }
}
