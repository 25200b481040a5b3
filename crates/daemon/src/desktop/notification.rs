//! What a notification says, and which buttons it has. Others can read what it says while its program
//! runs, so it is masked as logs are; what is masked or too long cannot be allowed here.

use toolgate_guard::ApprovalRequest;
use toolgate_types::{ApprovalChoice, Digest};

/// The longest question that can be read in a notification.
const LONGEST: usize = 1200;

/// How much is shown of one that is longer.
const BEGINNING: usize = 600;

/// What a person is told of a call that waits.
pub(super) struct DesktopNotification {
    title: String,
    body: String,
    offered: Vec<ApprovalChoice>,
    /// The name of the question, where all of it is shown.
    seen: Option<Digest>,
}

impl DesktopNotification {
    pub(super) fn of(request: &ApprovalRequest) -> Self {
        let ApprovalRequest { title, notice, shown, .. } = request;
        let is_whole = notice == shown.text() && notice.chars().count() <= LONGEST;
        let (body, offered, seen) = match is_whole {
            true => (notice.clone(), request.choices().to_vec(), Some(shown.digest())),
            false => {
                let end = notice.char_indices().nth(BEGINNING).map_or(notice.len(), |(end, _)| end);
                let rest = "… Not all of it can be shown here. See it whole, and allow it, with: \
                            toolgate approvals";
                (format!("{}\n{rest}", &notice[..end]), vec![ApprovalChoice::Deny], None)
            }
        };
        Self { title: title.clone(), body: escaped(&body), offered, seen }
    }

    pub(super) fn seen(&self) -> Option<Digest> {
        self.seen
    }

    pub(super) fn offers(&self, choice: ApprovalChoice) -> bool {
        self.offered.contains(&choice)
    }

    /// The arguments that ask, and wait for what is said.
    pub(super) fn asking(&self) -> Vec<String> {
        let buttons = self.offered.iter().map(|choice| {
            let label = match choice {
                ApprovalChoice::Once => "Allow once",
                ApprovalChoice::Session => "Allow for this session",
                ApprovalChoice::Deny => "Deny",
            };
            format!("--action={choice}={label}")
        });
        let options = std::iter::once("--wait".to_owned()).chain(buttons);
        arguments(options, &self.title, &self.body)
    }

    /// The arguments that only tell.
    pub(super) fn telling(&self) -> Vec<String> {
        let body = format!("{}\n\nAnswer with: toolgate approvals", self.body);
        arguments(std::iter::empty(), &self.title, &body)
    }
}

/// The arguments that tell something nobody can answer.
pub(super) fn telling(title: &str, body: &str) -> Vec<String> {
    arguments(std::iter::empty(), title, &escaped(body))
}

fn arguments(options: impl Iterator<Item = String>, title: &str, body: &str) -> Vec<String> {
    let always = ["--app-name=Toolgate", "--urgency=critical"].map(str::to_owned).into_iter();
    // Whatever comes after the two strokes is no option.
    let words = ["--", title, body].map(str::to_owned);
    always.chain(options).chain(words).collect()
}

/// A body may have markup; this one has none.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
