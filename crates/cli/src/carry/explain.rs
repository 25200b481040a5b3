//! Why nothing came of it, for people, for programs, and as an exit code.

use serde::Serialize;
use toolgate_daemon::{CarryFailure, CarryOut, FailedCall};
use toolgate_terminal::CommandOutput;
use toolgate_types::{Code, visible};

use crate::failure::{CliFailure, Exit};

/// An error as programs read it.
#[derive(Serialize)]
struct ErrorJson<'a> {
    code: &'a str,
    message: &'a str,
    /// Of a refusal: `denied`, `expired`, `no_channel`; `pending` where it was not waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// Under which it waits for a person.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    /// None where nothing could be recorded.
    #[serde(rename = "correlationId")]
    correlation: Option<&'a str>,
}

impl<'a> ErrorJson<'a> {
    fn new(code: Code, message: &'a str, correlation: Option<&'a str>) -> Self {
        Self { code: code.as_str(), message, reason: None, reference: None, correlation }
    }
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: ErrorJson<'a>,
}

/// For the person, and for programs, with the record of it where nothing was asked of a server.
pub(super) fn explain(
    failure: CarryFailure,
    errand: &CarryOut,
    unmade: Option<&str>,
    output: &mut CommandOutput,
) -> CliFailure {
    let mut tell = |error: ErrorJson<'_>| {
        if output.json {
            output.document_of(&ErrorDocument { error });
        }
    };
    match failure {
        CarryFailure::Before(failure) => failure.into(),
        CarryFailure::Unconnected(missing) => {
            tell(ErrorJson::new(missing.code(), &missing.sentence(), unmade));
            missing.failure().into()
        }
        CarryFailure::Asked { correlation } => {
            let code = Code::PermissionDenied;
            let message = "the server asks for something that nobody here can answer";
            tell(ErrorJson::new(code, message, Some(&correlation)));
            let failure = CliFailure::new(format!("{message} ({code}, ref {correlation})"));
            failure.exits(Exit::Denied)
        }
        CarryFailure::Unapproved { reference, correlation } => {
            let message = "this needs a person's approval, and was not waited for (pending)";
            let (reason, reference) = (Some("pending"), reference.as_deref());
            let told = ErrorJson::new(Code::PermissionDenied, message, Some(&correlation));
            tell(ErrorJson { reason, reference, ..told });
            let failure = CliFailure::new(message).exits(Exit::ApprovalNeeded);
            match reference {
                Some(reference) => failure.hint(format!("the user is asked (ref {reference})")),
                None => failure,
            }
        }
        CarryFailure::Failed(failed) => {
            let FailedCall { code, message, correlation, reason, detail, .. } = &failed;
            let told = ErrorJson::new(*code, message, Some(correlation));
            tell(ErrorJson { reason: reason.as_deref(), ..told });
            if let Some(detail) = detail {
                output.detail(visible(detail));
            }
            // As the error of a call says it itself.
            let failure = CliFailure::new(format!("{message} ({code}, ref {correlation})"));
            let failure = failure.exits(exit_of(*code));
            match hint(&failed, errand) {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
    }
}

fn hint(failed: &FailedCall, errand: &CarryOut) -> Option<String> {
    let server = &errand.server;
    match (failed.code, errand.tool()) {
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
        (Code::Unauthenticated, _) => Some("it needs a login or a token".to_owned()),
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
