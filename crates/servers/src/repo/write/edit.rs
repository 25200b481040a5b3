//! `edit_file`: replaces a piece of text that stands in a file once, or each time it does.

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_types::config::ApprovalMode;

use super::file_place::FilePlace;
use super::{FileWritten, LARGEST, WRITES, written};
use crate::repo::bounds::StopSignal;
use crate::repo::{RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, OfferedTool};

/// Edits a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFile {
    /// The file, relative to the served folder.
    pub path: String,
    /// The text to replace, exactly as it stands in the file, blanks and line ends included. It must
    /// stand there once, unless `replace_all` is set.
    pub old_text: String,
    /// The text to put in its place.
    pub new_text: String,
    /// Replaces it wherever it stands.
    #[serde(default)]
    pub replace_all: bool,
}

impl BuiltinTool for EditFile {
    const OFFER: OfferedTool = OfferedTool {
        name: "edit_file",
        title: "Edit a file",
        description: "Replaces one piece of text in a file, which must stand there exactly once, or every \
                      place where it stands (`replace_all`), and gives back what changed as a diff.",
        hints: WRITES,
        approval: ApprovalMode::Prompt,
        exposed: false,
        roles: &["coder"],
    };
    type Output = FileWritten;
}

impl RepoToolRun for EditFile {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<FileWritten, RepoRefusal> {
        let refuse =
            |why: &str| Err(RepoRefusal::Edit { path: self.path.clone(), why: why.to_owned() });
        if self.old_text.is_empty() {
            return refuse("`old_text` is empty: use `write_file` to make a file");
        }
        if self.old_text == self.new_text {
            return refuse("`old_text` and `new_text` are the same");
        }
        let target = FilePlace::find(place, &self.path, false)?;
        let before = target.read()?.ok_or_else(|| RepoRefusal::Absent(self.path.clone()))?;
        let Ok(text) = std::str::from_utf8(&before.bytes) else {
            return refuse("it is not UTF-8 text, so what stands in it cannot be told exactly");
        };
        let new = match text.matches(&*self.old_text).count() {
            0 => return refuse(missing(text, &self.old_text)),
            1 => text.replacen(&*self.old_text, &self.new_text, 1),
            _ if self.replace_all => text.replace(&*self.old_text, &self.new_text),
            count => {
                return refuse(&format!(
                    "`old_text` stands there {count} times: give more of what is around it, or set \
                     `replace_all`"
                ));
            }
        };
        if new.len() > LARGEST {
            return refuse("it would become too large");
        }
        target.replace(Some(&before), new.as_bytes(), stop)?;
        Ok(written(place, &target, Some(&before.bytes), new.as_bytes()))
    }
}

/// Why a text is not found, where that can be told.
fn missing(text: &str, wanted: &str) -> &'static str {
    let has_crlf = text.contains("\r\n");
    if has_crlf && !wanted.contains('\r') && text.replace("\r\n", "\n").contains(wanted) {
        return "`old_text` stands there with other line ends: the file's lines end with \\r\\n, so write \
                them so in `old_text` and `new_text`";
    }
    if !has_crlf && wanted.contains('\r') && text.contains(&wanted.replace("\r\n", "\n")) {
        return "`old_text` stands there with other line ends: the file's lines end with \\n alone";
    }
    "`old_text` does not stand there: read the file again, and give the text exactly"
}
