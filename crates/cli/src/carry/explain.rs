//! Why nothing came of it, for people, for programs, and as an exit code.

use toolgate_daemon::{CarryFailure, FailedCall, in_lines, login_hint};
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
            let failure = failure.exits(exit_of(*code)).code(*code);
            let failure = match hint(&failed) {
                Some(hint) => failure.hint(hint),
                None => failure,
            };
            let told = FailedCallJson::new(message, Some(correlation));
            failure.of_call(FailedCallJson { reason: reason.clone(), ..told })
        }
    }
}

fn hint(failed: &FailedCall) -> Option<String> {
    if let Some(suggestion) = &failed.suggestion {
        return Some(suggestion.clone());
    }
    let server = failed.server.as_deref().unwrap_or("SERVER");
    match (failed.code, failed.tool.as_deref()) {
        // In the guard's word; a server that refuses is no matter of approval.
        (Code::PermissionDenied, Some(tool))
            if !failed.is_answer && failed.reason.as_deref() == Some("no_channel") =>
        {
            let (key, tool) = (bare_or_quoted(tool), visible(tool));
            Some(format!(
                "set approval = \"approve\" on the server, or for one tool under \
                     [servers.{server}.tools.{key}]; for the reason: \
                     toolgate explain {server} {tool}"
            ))
        }
        (Code::Unauthenticated, _) => Some(login_hint(server)),
        (Code::Unavailable, _) => Some(format!("see `toolgate test {server}`")),
        _ => None,
    }
}

fn exit_of(code: Code) -> Exit {
    match code {
        Code::PermissionDenied => Exit::Denied,
        Code::Unauthenticated => Exit::LoginNeeded,
        Code::Unavailable | Code::DeadlineExceeded => Exit::Unreachable,
        Code::Cancelled => Exit::Interrupted,
        Code::Internal | Code::InvalidArgument | Code::NotFound | Code::ResourceExhausted => {
            Exit::Error
        }
    }
}

/// A key as TOML wants it.
fn bare_or_quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => format!("{:?}", visible(key)),
    }
}
