//! Why nothing came of it, for people, for programs, and as an exit code.

use toolgate_daemon::{CarryFailure, FailedCall, in_lines};
use toolgate_terminal::CommandOutput;
use toolgate_types::{Code, visible};

use crate::failure::{CliFailure, Exit, FailedCallJson};

/// For the person, and for programs, with the record of it where nothing was asked of a server.
pub(super) fn explain(
    failure: CarryFailure,
    unmade: Option<&str>,
    output: &mut CommandOutput,
) -> CliFailure {
    match failure {
        CarryFailure::Before(failure) => {
            let failure = CliFailure::from(failure);
            let words = FailedCallJson::new(&failure.message, unmade);
            failure.of_call(words)
        }
        CarryFailure::Unconnected(missing) => {
            let words = FailedCallJson::new(&missing.sentence(), unmade);
            CliFailure::from(missing.failure()).code(missing.code()).of_call(words)
        }
        CarryFailure::Asked { correlation } => {
            let code = Code::PermissionDenied;
            let message = "the server asks for something that nobody here can answer";
            let failure = CliFailure::new(format!("{message} ({code}, ref {correlation})"));
            let words = FailedCallJson::new(message, Some(&correlation));
            failure.exits(Exit::Denied).of_call(words)
        }
        CarryFailure::Unapproved { reference, correlation } => {
            let message = "this needs a person's approval, and was not waited for (pending)";
            let told = FailedCallJson::new(message, Some(&correlation));
            let reason = Some("pending".to_owned());
            let failure = CliFailure::new(message).exits(Exit::ApprovalNeeded);
            let failure = match &reference {
                Some(reference) => failure.hint(format!("the user is asked (ref {reference})")),
                None => failure,
            };
            failure.of_call(FailedCallJson { reason, reference, ..told })
        }
        CarryFailure::Failed(failed) => {
            let FailedCall { code, message, correlation, reason, detail, .. } = &failed;
            if let Some(detail) = detail {
                output.detail(visible(detail));
            }
            if let Some(printed) = &failed.partial {
                output.note(format!("it had printed:\n{}", in_lines(printed)));
            }
            // As the error of a call says it itself.
            let failure = CliFailure::new(format!("{message} ({code}, ref {correlation})"));
            let failure = failure.exits(failed.exit()).code(*code);
            let failure = match failed.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            };
            let told = FailedCallJson::new(message, Some(correlation));
            failure.of_call(FailedCallJson { reason: reason.clone(), ..told })
        }
    }
}
