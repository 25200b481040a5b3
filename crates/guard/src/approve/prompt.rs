//! What a person reads before they decide: effects and surroundings first, then the exact arguments,
//! then the words of the server, which are marked as its own. Nothing is hidden in it, and what is
//! left out says so.

use std::path::Path;

use serde_json::value::RawValue;
use toolgate_types::{pretty, visible};

/// The most that is shown of arguments, of a description, of what changed.
const MOST_ARGUMENTS: usize = 16 * 1024;
const MOST_WORDS: usize = 2 * 1024;
const MOST_CHANGES: usize = 6 * 1024;

/// What is known of a call that waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prompt<'a> {
    /// Who asks, in the words of the caller itself.
    pub client: Option<&'a str>,
    pub server: &'a str,
    pub tool: &'a str,
    /// The server's own words.
    pub description: Option<&'a str>,
    /// As they will be sent, with secrets masked.
    pub arguments: Option<&'a RawValue>,
    /// What it may do, each in a few words.
    pub effects: &'a [String],
    /// The command or the address that does it.
    pub done_by: Option<&'a str>,
    pub cwd: Option<&'a Path>,
    pub workspace: Option<&'a Path>,
    /// `None` where no process of ours does it.
    pub sandbox: Option<&'a str>,
    /// Variables that it is given, with secrets masked.
    pub environment: &'a [(String, String)],
    /// Why a person is asked.
    pub why: &'a str,
    /// What is different from what was accepted.
    pub changes: Option<&'a str>,
}

impl Prompt<'_> {
    /// In one line.
    pub fn title(&self) -> String {
        let who = self.client.map_or_else(|| "An agent".to_owned(), visible);
        format!("{who} wants to call {}/{}", visible(self.server), visible(self.tool))
    }

    pub fn text(&self) -> String {
        let mut text = self.title() + ".\n";
        let mut say = |name: &str, value: &str| text.push_str(&format!("\n{name}: {value}"));
        let effects = match self.effects {
            [] => "not known".to_owned(),
            effects => effects.join("; "),
        };
        say("Effects", &visible(&effects));
        if let Some(sandbox) = self.sandbox {
            say("Sandbox", sandbox);
        }
        if let Some(done_by) = self.done_by {
            say("Done by", &cut(&visible(done_by), MOST_WORDS));
        }
        if let Some(cwd) = self.cwd {
            say("Folder", &visible(&cwd.to_string_lossy()));
        }
        if let Some(workspace) = self.workspace.filter(|own| Some(*own) != self.cwd) {
            say("Workspace", &visible(&workspace.to_string_lossy()));
        }
        if !self.environment.is_empty() {
            let pairs = self.environment.iter();
            let pairs: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
            say("Environment", &cut(&visible(&pairs.join(" ")), MOST_WORDS));
        }
        say("Asked because", &visible(self.why));
        if let Some(changes) = self.changes {
            say("Changed since it was accepted", &indented(&cut(changes, MOST_CHANGES)));
        }
        match self.arguments {
            Some(arguments) => {
                say("Arguments", &indented(&cut(&pretty(arguments), MOST_ARGUMENTS)));
            }
            None => say("Arguments", "none"),
        }
        if let Some(description) = self.description {
            let words = cut(description, MOST_WORDS);
            say("The server says of it (its own words, not checked)", &indented(&words));
        }
        text
    }
}

/// Each line apart from what is ours, so that no line of a server reads like one of these; what is
/// hidden in it is written out.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n  | {}", visible(line))).collect()
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n[{} more bytes are not shown]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests;
