//! `toolgate doctor`: everything on this machine that Toolgate depends on, looked at once. Each line
//! says what is wrong and what to do; nothing is changed.

mod clients;
mod configuration;
mod daemon;
mod orphans;
mod sandbox;
mod state;

use serde::Serialize;
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::visible;

use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;

/// What was found about one thing.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct DoctorFinding {
    about: &'static str,
    is_fine: bool,
    /// Nothing is broken, and somebody may still expect something else.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_warning: bool,
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct DoctorJson<'a> {
    findings: &'a [DoctorFinding],
}

impl DoctorFinding {
    fn fine(about: &'static str, message: impl Into<String>) -> Self {
        Self { about, is_fine: true, is_warning: false, message: message.into(), hint: None }
    }

    fn warning(about: &'static str, message: impl Into<String>) -> Self {
        Self { is_warning: true, ..Self::fine(about, message) }
    }

    fn wrong(
        about: &'static str,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) -> Self {
        Self {
            about,
            is_fine: false,
            is_warning: false,
            message: message.into(),
            hint: hint.into(),
        }
    }

    fn text(&self) -> String {
        let word = match (self.is_fine, self.is_warning) {
            (true, false) => "ok",
            (true, true) => "note",
            (false, _) => "wrong",
        };
        let lines = |text: &str| text.lines().map(visible).collect::<Vec<_>>().join("\n       ");
        let mut text = format!("{word:<5}  {}: {}\n", self.about, lines(&self.message));
        if let Some(hint) = &self.hint {
            text.push_str(&format!("       {}\n", lines(hint)));
        }
        text
    }
}

pub(crate) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    // Before anything opens the state: who opens it closes it to others.
    let state = state::look(surroundings);
    let mut findings = configuration::look(surroundings);
    findings.extend(clients::look(surroundings));
    findings.extend(daemon::look(surroundings));
    findings.extend(state);
    findings.extend(sandbox::look(surroundings));
    findings.extend(orphans::look());
    if output.json {
        output.document_of(&DoctorJson { findings: &findings });
    } else {
        findings.iter().for_each(|finding| output.raw(&finding.text()));
    }
    match findings.iter().filter(|finding| !finding.is_fine).count() {
        0 => Ok(Exit::Ok),
        wrong => {
            output.note(format!("{} found", counted(wrong, "problem")));
            Ok(Exit::Error)
        }
    }
}
