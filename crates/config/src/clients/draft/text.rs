//! Texts of another client's entry, with every variable in our own spelling.

use super::ServerDraft;
use crate::clients::inputs::variable_of;
use crate::clients::note::NoteKind;
use crate::clients::variables::{EditorFolder, VariableForm, VariableToken, scan};
use crate::clients::written::WrittenText;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

/// A description is for one line on a terminal.
const LONGEST_DESCRIPTION: usize = 100;

impl ServerDraft<'_> {
    /// A text; `None` after a refusal.
    pub(in crate::clients) fn written(&mut self, at: &DocumentPlace<'_>) -> Option<WrittenText> {
        let text = self.scalar(at)?;
        let mut written = WrittenText::default();
        let mut is_whole = true;
        for token in scan(&text, self.scene.forms) {
            match token {
                VariableToken::Text(text) => written.literal(text),
                VariableToken::Variable { name, default, spelling } => {
                    is_whole &= self.variable(at, &mut written, name, default, spelling);
                }
                VariableToken::Folder(folder) => is_whole &= self.folder(at, &mut written, folder),
                VariableToken::Input(id) => self.input(at, &mut written, id),
                VariableToken::File => {
                    let reason = "reads a file; put its content into a variable and name that";
                    self.refuse_at(at, reason);
                    is_whole = false;
                }
                VariableToken::Elsewhere => {
                    let title = self.scene.request.client.title();
                    self.refuse_at(at, &format!("holds what only a running {title} knows"));
                    is_whole = false;
                }
            }
        }
        if written.needs_escape() {
            let title = self.scene.request.client.title();
            let message = format!("`${{…}}` here is no variable of {title} and stays text");
            self.note(NoteKind::LiteralVariable, at, message);
        }
        is_whole.then_some(written)
    }

    /// A text, put together.
    pub(in crate::clients) fn text(&mut self, at: &DocumentPlace<'_>) -> Option<String> {
        let written = self.written(at)?;
        self.render(at, &written)
    }

    pub(super) fn render(
        &mut self,
        at: &DocumentPlace<'_>,
        written: &WrittenText,
    ) -> Option<String> {
        let text = written.render().ok();
        if text.is_none() {
            self.refuse_at(at, "a `$` right before a variable cannot be written here");
        }
        text
    }

    /// Text as it is, with numbers and flags taken for text.
    fn scalar(&mut self, at: &DocumentPlace<'_>) -> Option<String> {
        let text = match &at.node.value {
            ConfigValue::String(text) => return Some(text.clone()),
            ConfigValue::Number(number) => number.clone(),
            ConfigValue::Bool(flag) => flag.to_string(),
            ConfigValue::Null | ConfigValue::Array(_) | ConfigValue::Table(_) => {
                self.refuse_at(at, &format!("expected text, found {}", at.node.kind()));
                return None;
            }
        };
        self.note(NoteKind::Normalised, at, format!("{} is written as text", at.node.kind()));
        Some(text)
    }

    fn variable(
        &mut self,
        at: &DocumentPlace<'_>,
        written: &mut WrittenText,
        name: &str,
        default: Option<&str>,
        spelling: VariableForm,
    ) -> bool {
        if default.is_some_and(|default| default.contains("${")) {
            self.refuse_at(at, &format!("the default of {name} names another variable"));
            return false;
        }
        let is_set = self.scene.request.variables.contains_key(name);
        // A default may be a secret, so it is not repeated.
        let from = match spelling {
            VariableForm::Default => format!("`${{{name}:-…}}`"),
            VariableForm::Env => format!("`${{env:{name}}}`"),
            VariableForm::Bare => format!("`${name}`"),
            VariableForm::Curly => format!("`{{env:{name}}}`"),
            _ => String::new(),
        };
        match default {
            Some(default) if !is_set => {
                written.literal(default);
                let message = format!("{from}: {name} is not set, its default is taken");
                self.note(NoteKind::Variable, at, message);
            }
            _ if !is_set => {
                self.refuse_at(at, &format!("the variable {name} is not set"));
                return false;
            }
            _ => {
                written.reference(name);
                if !from.is_empty() {
                    let message = format!("{from} is the variable {name} here");
                    self.note(NoteKind::Variable, at, message);
                }
            }
        }
        true
    }

    fn folder(
        &mut self,
        at: &DocumentPlace<'_>,
        written: &mut WrittenText,
        folder: EditorFolder,
    ) -> bool {
        let request = self.scene.request;
        let (spelling, text) = match folder {
            EditorFolder::Home => ("userHome", request.home.to_str()),
            EditorFolder::Workspace => ("workspaceFolder", request.workspace.to_str()),
            EditorFolder::WorkspaceName => {
                let name = request.workspace.file_name();
                ("workspaceFolderBasename", name.and_then(|name| name.to_str()))
            }
            EditorFolder::Separator => ("pathSeparator", Some(std::path::MAIN_SEPARATOR_STR)),
        };
        match text {
            Some(text) => {
                written.literal(text);
                let message = format!("`${{{spelling}}}` is written out");
                self.note(NoteKind::Variable, at, message);
            }
            None => self.refuse_at(at, &format!("`${{{spelling}}}` has no name in UTF-8")),
        }
        text.is_some()
    }

    fn input(&mut self, at: &DocumentPlace<'_>, written: &mut WrittenText, id: &str) {
        let declared = self.scene.inputs.iter().find(|input| input.id == id);
        let name = declared.map_or_else(|| variable_of(id), |input| input.variable.clone());
        written.reference(&name);
        let mut message = match self.scene.request.variables.contains_key(&name) {
            true => format!("to be given: {name}, which is set already"),
            false => format!("to be given: set {name} before the server starts"),
        };
        if let Some(description) = declared.and_then(|input| input.description.as_deref()) {
            let description: String = description.chars().take(LONGEST_DESCRIPTION).collect();
            message.push_str(&format!(" ({description})"));
        }
        if declared.is_some_and(|input| input.is_password) {
            message.push_str("; it is a secret");
        }
        self.note(NoteKind::ToBeGiven, at, message);
        if !self.to_be_given.contains(&name) {
            self.to_be_given.push(name);
        }
    }
}
