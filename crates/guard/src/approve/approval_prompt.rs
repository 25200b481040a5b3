//! What a person reads before they decide: who wants to call what, with which arguments in short, since
//! some clients show two lines and fold the rest; effects and surroundings; the exact arguments; the
//! words of the server, which are marked as its own. Nothing that would run is hidden in it or left out;
//! what is covered is named and counted.

use std::path::Path;

use serde_json::value::RawValue;
use toolgate_mask::SecretSchema;
use toolgate_types::visible;

use super::concealed::ConcealedCount;
use super::json_layout::JsonLayout;
use super::own_secrets::OwnSecrets;
use super::rendered_call::ApprovalRendering;

/// The most that is shown of a server's description of its tool, which runs nothing.
const MOST_WORDS: usize = 2 * 1024;

/// The most of a caller's name for itself, which it chooses: a long one would push out of sight what
/// it wants.
const MOST_NAME: usize = 60;

/// What is known of a call that waits.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalPrompt<'a> {
    /// Who asks, in the words of the caller itself.
    pub client: Option<&'a str>,
    pub server: &'a str,
    pub tool: &'a str,
    /// The server's own words.
    pub description: Option<&'a str>,
    /// As they will be sent.
    pub arguments: Option<&'a RawValue>,
    /// The tool's schema, where its word on what is secret counts: a person's own tool, or one of a
    /// trusted server.
    pub trusted_schema: Option<&'a RawValue>,
    /// What else of the request goes to the server: `_meta`.
    pub also_sent: Option<&'a RawValue>,
    /// What it may do, each in a few words.
    pub effects: &'a [String],
    /// The words of the command, or the address, that does it.
    pub done_by: &'a [String],
    pub cwd: Option<&'a Path>,
    pub workspace: Option<&'a Path>,
    /// `None` where no process of ours does it.
    pub sandbox: Option<&'a str>,
    /// Variables that it is given, as they are to be shown.
    pub environment: &'a [(String, String)],
    /// Of a command tool, the program and each of its arguments as they will be.
    pub argv: &'a [String],
    /// Of a command tool, what the session of the caller changes: folder and variables.
    pub overrides: &'a [(String, String)],
    /// Why a person is asked.
    pub why: &'a str,
    /// What is different from what was accepted.
    pub changes: Option<&'a str>,
    pub own_secrets: &'a OwnSecrets,
}

impl ApprovalPrompt<'_> {
    /// In one line.
    pub fn title(&self) -> String {
        let who = self.client.map_or_else(|| "An agent".to_owned(), short_name);
        format!("{who} wants to call {}/{}", visible(self.server), visible(self.tool))
    }

    /// As everybody is shown it who may approve.
    pub fn render(&self) -> ApprovalRendering {
        self.rendered(self.trusted_schema)
    }

    /// With the parameters that the schema marks as secret, for the person who asks to see them;
    /// nothing where there are none.
    pub fn render_in_full(&self) -> Option<ApprovalRendering> {
        let full = self.rendered(None);
        (full != self.render()).then_some(full)
    }

    fn rendered(&self, schema: Option<&RawValue>) -> ApprovalRendering {
        let mut concealed = ConcealedCount::default();
        let own = self.own_secrets;
        let layout =
            JsonLayout { own, schema: schema.map(|schema| SecretSchema::new(schema.get())) };
        let with = match self.arguments {
            Some(arguments) => layout.summary(arguments.get()),
            None => "no arguments".to_owned(),
        };
        let is_command = !self.argv.is_empty();
        let mut text = format!("{}.\nWith {with}\n", self.title());
        let mut say = |name: &str, value: &str| text.push_str(&format!("\n{name}: {value}"));
        let effects = match self.effects {
            [] => "not known".to_owned(),
            effects => effects.join("; "),
        };
        say("Effects", &visible(&effects));
        if let Some(sandbox) = self.sandbox {
            say("Sandbox", sandbox);
        }
        if !self.done_by.is_empty() {
            let words = self.done_by.iter().map(|word| own.line(word, &mut concealed));
            say("Done by", &words.collect::<Vec<_>>().join(" "));
        }
        if !self.argv.is_empty() {
            // Each in a line of its own: no blank in one makes it two.
            let words = self.argv.iter().enumerate();
            let words =
                words.map(|(at, word)| format!("[{at}] {}", own.line(word, &mut concealed)));
            say("Runs, without a shell", &set_off(&words.collect::<Vec<_>>()));
        }
        if let Some(cwd) = self.cwd {
            say("Folder", &visible(&cwd.to_string_lossy()));
        }
        if let Some(workspace) = self.workspace.filter(|own| Some(*own) != self.cwd) {
            say("Workspace", &visible(&workspace.to_string_lossy()));
        }
        if !self.environment.is_empty() {
            let pairs = self.environment.iter();
            let pairs = pairs.map(|(name, value)| {
                format!("{}={}", visible(name), own.line(value, &mut concealed))
            });
            say("Environment", &pairs.collect::<Vec<_>>().join(" "));
        }
        if !self.overrides.is_empty() {
            let pairs = self.overrides.iter();
            let pairs = pairs.map(|(name, value)| {
                format!("{}={}", visible(name), own.line(value, &mut concealed))
            });
            say("Changed by the caller's session", &set_off(&pairs.collect::<Vec<_>>()));
        }
        say("Asked because", &visible(self.why));
        if let Some(changes) = self.changes {
            say("Changed since it was accepted", &indented(changes));
        }
        match self.arguments {
            Some(arguments) => {
                let lines = set_off(&layout.lines(arguments.get(), &mut concealed));
                say(
                    if is_command { "Arguments, and its standard input" } else { "Arguments" },
                    &lines,
                );
            }
            None => say("Arguments", "none"),
        }
        if let Some(also) = self.also_sent {
            let layout = JsonLayout { own, schema: None };
            say("Also sent, as `_meta`", &set_off(&layout.lines(also.get(), &mut concealed)));
        }
        if concealed.values > 0 {
            let ConcealedCount { values, characters } = concealed;
            let are = if values == 1 { "value is" } else { "values are" };
            say("Covered", &format!("{values} {are} not shown, {characters} characters in all"));
        }
        if let Some(description) = self.description {
            let words = cut(description, MOST_WORDS);
            let whose = match is_command {
                true => "Its entry says of it",
                false => "The server says of it (its own words, not checked)",
            };
            say(whose, &indented(&words));
        }
        ApprovalRendering::new(text, concealed.values)
    }
}

/// What a caller calls itself.
fn short_name(name: &str) -> String {
    match name.char_indices().nth(MOST_NAME) {
        Some((end, _)) => visible(&name[..end]) + "…",
        None => visible(name),
    }
}

/// Lines that are ready to be shown, apart from what is ours: none of them reads like one of these.
fn set_off(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  | {line}")).collect()
}

/// The same for text of somebody else, in which hidden characters are written out.
fn indented(text: &str) -> String {
    set_off(&text.lines().map(visible).collect::<Vec<_>>())
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n[{} more bytes of its words are not shown]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests;
