//! Why a verb failed: the sentence, the hint, the exit code, and the same for programs.

use std::fmt::Display;

use serde::Serialize;
use toolgate_assembly::UnusableRules;
use toolgate_config::Problems;
pub(crate) use toolgate_control::CommandExit as Exit;
use toolgate_control::CommandFailure;
use toolgate_store::StoreError;
use toolgate_terminal::{CommandOutput, UnusableMedia};
use toolgate_types::Code;

/// A failure as a person reads it.
#[derive(Debug)]
pub(crate) struct CliFailure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// What programs go by, where that is more than the exit code says.
    pub(crate) code: Option<Code>,
    /// Of something that a server was to do.
    pub(crate) call: Option<Box<FailedCallJson>>,
}

/// What programs are told of a call besides.
#[derive(Debug, Serialize)]
pub(crate) struct FailedCallJson {
    /// Without the code and the reference, which have fields of their own.
    #[serde(skip)]
    pub(crate) message: String,
    /// Of a refusal: `denied`, `expired`, `no_channel`; `pending` where it was not waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Under which it waits for a person.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    /// None where nothing could be recorded.
    #[serde(rename = "correlationId")]
    pub(crate) correlation: Option<String>,
}

impl FailedCallJson {
    pub(crate) fn new(message: &str, correlation: Option<&str>) -> Self {
        let (message, correlation) = (message.to_owned(), correlation.map(str::to_owned));
        Self { message, reason: None, reference: None, correlation }
    }
}

/// An error as programs read it, the same for every verb.
#[derive(Serialize)]
struct ErrorJson<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    exit: u8,
    #[serde(flatten)]
    call: Option<&'a FailedCallJson>,
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: ErrorJson<'a>,
}

pub(crate) type CommandResult = Result<Exit, CliFailure>;

impl CliFailure {
    pub(crate) fn new(message: impl Display) -> Self {
        CommandFailure::new(message).into()
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        CommandFailure::usage(message).into()
    }

    pub(crate) fn exits(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    pub(crate) fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    pub(crate) fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    pub(crate) fn of_call(mut self, call: FailedCallJson) -> Self {
        self.call = Some(Box::new(call));
        self
    }

    /// Says it to the person, and to the program that wants JSON.
    pub(crate) fn tell(&self, output: &mut CommandOutput) {
        output.failure(&self.message, self.hint.as_deref());
        self.document(output);
    }

    /// The one document of a run: where a verb printed its own, that says what is wrong.
    pub(crate) fn document(&self, output: &mut CommandOutput) {
        if !output.json || output.has_document() {
            return;
        }
        let (call, exit) = (self.call.as_deref(), self.exit as u8);
        let message = call.map_or(self.message.as_str(), |call| &call.message);
        let code = self.code.map_or(self.exit.code(), Code::as_str);
        let error = ErrorJson { code, message, hint: self.hint.as_deref(), exit, call };
        output.document_of(&ErrorDocument { error });
    }
}

impl From<CommandFailure> for CliFailure {
    fn from(CommandFailure { exit, message, hint, code }: CommandFailure) -> Self {
        Self { exit, message, hint, code, call: None }
    }
}

impl From<StoreError> for CliFailure {
    fn from(error: StoreError) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self { hint, ..Self::new(error) }
    }
}

impl From<UnusableRules> for CliFailure {
    fn from(rules: UnusableRules) -> Self {
        Self::new(&rules).hint(rules.hint())
    }
}

impl From<UnusableMedia> for CliFailure {
    fn from(error: UnusableMedia) -> Self {
        Self::new(error)
    }
}

impl From<Problems> for CliFailure {
    fn from(problems: Problems) -> Self {
        Self::new(problems)
    }
}
