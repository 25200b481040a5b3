//! Why a verb failed: the sentence, the hint, the exit code.

use std::fmt::Display;

use toolgate_assembly::UnusableRules;
use toolgate_config::Problems;
pub(crate) use toolgate_control::CommandExit as Exit;
use toolgate_control::CommandFailure;
use toolgate_store::StoreError;

/// A failure as a person reads it.
#[derive(Debug)]
pub(crate) struct CliFailure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

pub(crate) type CommandResult = Result<Exit, CliFailure>;

impl CliFailure {
    pub(crate) fn new(message: impl Display) -> Self {
        Self { exit: Exit::Error, message: message.to_string(), hint: None }
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    pub(crate) fn exits(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    pub(crate) fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl From<CommandFailure> for CliFailure {
    fn from(CommandFailure { exit, message, hint }: CommandFailure) -> Self {
        Self { exit, message, hint }
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

impl From<Problems> for CliFailure {
    fn from(problems: Problems) -> Self {
        Self::new(problems)
    }
}
