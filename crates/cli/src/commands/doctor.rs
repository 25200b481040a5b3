//! `toolgate doctor`: everything on this machine that Toolgate depends on, looked at once. Each line
//! says what is wrong and what to do; nothing is changed.

mod clients;
mod configuration;
mod daemon;
mod orphans;
mod state;

use serde::Serialize;
use toolgate_types::visible;

use crate::failure::{Done, Exit};
use crate::output::{Output, counted};
use crate::surroundings::Surroundings;

/// What was found about one thing.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    about: &'static str,
    is_fine: bool,
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    findings: &'a [Finding],
}

impl Finding {
    fn fine(about: &'static str, message: impl Into<String>) -> Self {
        Self { about, is_fine: true, message: message.into(), hint: None }
    }

    fn wrong(
        about: &'static str,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) -> Self {
        Self { about, is_fine: false, message: message.into(), hint: hint.into() }
    }

    fn text(&self) -> String {
        let word = if self.is_fine { "ok" } else { "wrong" };
        let lines = |text: &str| text.lines().map(visible).collect::<Vec<_>>().join("\n       ");
        let mut text = format!("{word:<5}  {}: {}\n", self.about, lines(&self.message));
        if let Some(hint) = &self.hint {
            text.push_str(&format!("       {}\n", lines(hint)));
        }
        text
    }
}

pub(crate) fn run(surroundings: &Surroundings, output: &mut Output) -> Done {
    let mut findings = configuration::look(surroundings);
    findings.extend(clients::look(surroundings));
    findings.extend(daemon::look(surroundings));
    findings.extend(state::look(surroundings));
    findings.extend(orphans::look());
    if output.json {
        output.document_of(&Document { findings: &findings });
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
