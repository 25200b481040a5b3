//! An errand that the daemon runs: it is told everything that this process would go by, shows its
//! progress and asks its questions here, and is cancelled from here.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_control::{
    APPROVAL_QUESTION, ControlClient, ControlReply, ConversationPartner, DOING_NOTICE, DoingNotice,
    ErrandAnswer, ErrandApproval, ErrandApprovalAnswer, ErrandEnd, ErrandQuestion, ErrandRequest,
    LOG_NOTICE, LogNotice, PRINTED_QUESTION, PrintedPiece, REMARK_NOTICE, REPORT_NOTICE,
    RemarkNotice, ReportNotice, SERVER_QUESTION, Verbatim,
};
use toolgate_daemon::{Errand, Onlooker as _};
use toolgate_mask::Masker;
use toolgate_terminal::CommandOutput;
use toolgate_types::{
    ApprovalChoice, ApprovalQuestion, ApprovalReply, Asker as _, PrintedStream, QuestionAnswer,
    QuestionKind, ServerId, ServerQuestion,
};

use super::standpoint_of;
use crate::command_host::ReadiedHost;
use crate::command_runtime::{cancelled_at_interrupt, command_runtime};
use crate::failure::CliFailure;
use crate::progress::ProgressSink;
use crate::surroundings::Surroundings;
use crate::terminal_asker::TerminalAsker;

/// What came of an errand.
type ErrandOutcome<E> = Result<<E as Errand>::Product, <E as Errand>::Trouble>;

/// `None` where this daemon cannot do it; then nothing was done.
pub(super) fn run<E: Errand>(
    errand: &E,
    daemon: ControlClient,
    readied: &ReadiedHost,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Option<ErrandOutcome<E>>, CliFailure> {
    let masker = Masker::of_config(&readied.loaded.config, &surroundings.variables);
    let progress = Arc::new(ProgressSink::new(output, &masker));
    let wish = errand.wish();
    // Whether an agent sits here the daemon finds out, before it asks.
    let person = TerminalAsker::new(&progress, wish.waits, output).filter(|_| wish.answers);
    let sent = ErrandRequest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        standpoint: standpoint_of(&readied.loaded, surroundings)?,
        is_watched: progress.is_watched(),
        answers: person.is_some(),
        log_level: surroundings.logging.asked_of_servers(output.is_verbose()),
        errand,
    };
    // A path that is no text cannot be said.
    let Ok(sent) = to_raw_value(&sent) else { return Ok(None) };
    let company =
        LocalErrandPerson { progress: Arc::clone(&progress), person: person.map(Arc::new) };
    let runtime = command_runtime()?;
    let replied = runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        daemon.converse(E::METHOD, &sent, &company, &interrupted).await
    });
    progress.display.clear();
    // Somebody who is asked and never answers holds nobody up.
    runtime.shutdown_background();
    let why = match replied? {
        ControlReply::Result(result) => match serde_json::from_str(result.get()) {
            Ok(ErrandEnd::Done(product)) => return Ok(Some(Ok(product))),
            Ok(ErrandEnd::NotDone(trouble)) => return Ok(Some(Err(trouble))),
            Ok(ErrandEnd::Elsewhere(why)) => why,
            Err(error) => {
                return Err(CliFailure::new(format!(
                    "the daemon's answer makes no sense: {error}"
                )));
            }
        },
        ControlReply::NotUnderstood(why) => why,
        ControlReply::Failed(why) => return Err(CliFailure::new(why)),
    };
    output.detail(format!("without the daemon: {why}"));
    Ok(None)
}

/// The person who waits, in this process.
struct LocalErrandPerson {
    progress: Arc<ProgressSink>,
    person: Option<Arc<TerminalAsker>>,
}

impl ConversationPartner for LocalErrandPerson {
    fn told(&self, method: &str, params: &RawValue) {
        match method {
            DOING_NOTICE => {
                if let Ok(DoingNotice { what }) = serde_json::from_str(params.get()) {
                    self.progress.doing(&what);
                }
            }
            REPORT_NOTICE => {
                if let Ok(ReportNotice { report }) = serde_json::from_str(params.get()) {
                    self.progress.report(&report);
                }
            }
            REMARK_NOTICE => {
                if let Ok(RemarkNotice { words }) = serde_json::from_str(params.get()) {
                    self.progress.remark(&words);
                }
            }
            LOG_NOTICE => {
                if let Ok(LogNotice { server, message }) = serde_json::from_str(params.get()) {
                    self.progress.server_says(&server, &message);
                }
            }
            _ => {}
        }
    }

    fn asked(
        &self,
        method: &str,
        params: &RawValue,
    ) -> impl Future<Output = Option<Box<RawValue>>> + 'static {
        let person = self.person.clone();
        let wanted = PersonRequest::read(method, params);
        let progress = Arc::clone(&self.progress);
        async move {
            if let Some(PersonRequest::Show(PrintedPiece { is_complaint, printed })) = wanted {
                let stream =
                    if is_complaint { PrintedStream::Stderr } else { PrintedStream::Stdout };
                progress.printed(stream, printed.into_bytes()).await;
                return to_raw_value(&()).ok();
            }
            let person = person?;
            match wanted? {
                PersonRequest::Answer(question) => match person.ask(question).await {
                    QuestionAnswer::Answered(answer) => {
                        to_raw_value(&ErrandAnswer { answer: Verbatim(answer) }).ok()
                    }
                    QuestionAnswer::Refused(_)
                    | QuestionAnswer::Defer(_)
                    | QuestionAnswer::NoChannel => None,
                },
                PersonRequest::Show(_) => None,
                PersonRequest::Approval(question) => {
                    let choice = match person.approve(question).await {
                        ApprovalReply::Said(choice) => Some(choice.as_str().to_owned()),
                        ApprovalReply::Declined | ApprovalReply::Nothing => None,
                        ApprovalReply::Deferred | ApprovalReply::NoChannel => return None,
                    };
                    to_raw_value(&ErrandApprovalAnswer { choice }).ok()
                }
            }
        }
    }
}

/// What the daemon wants of the person.
enum PersonRequest {
    Answer(ServerQuestion),
    Approval(ApprovalQuestion),
    Show(PrintedPiece),
}

impl PersonRequest {
    fn read(method: &str, params: &RawValue) -> Option<Self> {
        match method {
            SERVER_QUESTION => {
                let ErrandQuestion { server, params } = serde_json::from_str(params.get()).ok()?;
                let server = ServerId::parse(&server).ok()?;
                let (kind, params) = (QuestionKind::Elicit, params.map(|params| params.0));
                Some(Self::Answer(ServerQuestion { server, kind, params }))
            }
            APPROVAL_QUESTION => {
                let ErrandApproval { text, choices } = serde_json::from_str(params.get()).ok()?;
                let choices = choices.iter().filter_map(|word| ApprovalChoice::parse(word));
                Some(Self::Approval(ApprovalQuestion {
                    text,
                    choices: choices.collect(),
                    moment: Arc::default(),
                }))
            }
            PRINTED_QUESTION => serde_json::from_str(params.get()).ok().map(Self::Show),
            _ => None,
        }
    }
}
