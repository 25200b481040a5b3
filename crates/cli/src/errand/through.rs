//! An errand that the daemon runs: it is told everything that this process would go by, shows its
//! progress and asks its questions here, and is cancelled from here.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use toolgate_control::{
    APPROVAL_QUESTION, ApprovalQuestion, ControlClient, ControlReply, ConversationPartner,
    DOING_NOTICE, DoingNotice, ErrandEnd, ErrandRequest, LOG_NOTICE, LogNotice, QuestionAnswer,
    REMARK_NOTICE, REPORT_NOTICE, RemarkNotice, ReportNotice, SERVER_QUESTION, ServerQuestion,
    Verbatim,
};
use toolgate_daemon::{Errand, Onlooker as _};
use toolgate_mask::Masker;
use toolgate_types::{Answer, Asker as _, Question, QuestionKind, ServerId};

use super::standpoint_of;
use crate::command_host::{Readied, cancelled_at_interrupt};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::surroundings::Surroundings;
use crate::terminal_asker::TerminalAsker;

/// What came of an errand.
type Done<E> = Result<<E as Errand>::Product, <E as Errand>::Trouble>;

/// `None` where this daemon cannot do it; then nothing was done.
pub(super) fn run<E: Errand>(
    errand: &E,
    daemon: ControlClient,
    readied: &Readied,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Result<Option<Done<E>>, Failure> {
    let masker = Masker::of_config(&readied.loaded.config, &surroundings.variables);
    let progress = Arc::new(Progress::new(output, &masker));
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
    let company = AtHome { progress: Arc::clone(&progress), person: person.map(Arc::new) };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))?;
    let replied = runtime.block_on(async {
        let interrupted = cancelled_at_interrupt();
        daemon.converse(E::METHOD, &sent, &company, &interrupted).await
    });
    progress.clear();
    // Somebody who is asked and never answers holds nobody up.
    runtime.shutdown_background();
    let why = match replied? {
        ControlReply::Result(result) => match serde_json::from_str(result.get()) {
            Ok(ErrandEnd::Done(product)) => return Ok(Some(Ok(product))),
            Ok(ErrandEnd::NotDone(trouble)) => return Ok(Some(Err(trouble))),
            Ok(ErrandEnd::Elsewhere(why)) => why,
            Err(error) => {
                return Err(Failure::new(format!("the daemon's answer makes no sense: {error}")));
            }
        },
        ControlReply::NotUnderstood(why) => why,
        ControlReply::Failed(why) => return Err(Failure::new(why)),
    };
    output.detail(format!("without the daemon: {why}"));
    Ok(None)
}

/// The person who waits, in this process.
struct AtHome {
    progress: Arc<Progress>,
    person: Option<Arc<TerminalAsker>>,
}

impl ConversationPartner for AtHome {
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
        let wanted = Wanted::read(method, params);
        async move {
            let answer = match (wanted?, person?) {
                (Wanted::Answer(question), person) => person.ask(question).await,
                (Wanted::Approval(form), person) => person.approve(form).await,
            };
            match answer {
                Answer::Answered(answer) => {
                    to_raw_value(&QuestionAnswer { answer: Verbatim(answer) }).ok()
                }
                Answer::Refused(_) | Answer::Defer(_) | Answer::NoChannel => None,
            }
        }
    }
}

/// What the daemon wants of the person.
enum Wanted {
    Answer(Question),
    Approval(Box<RawValue>),
}

impl Wanted {
    fn read(method: &str, params: &RawValue) -> Option<Self> {
        match method {
            SERVER_QUESTION => {
                let ServerQuestion { server, params } = serde_json::from_str(params.get()).ok()?;
                let server = ServerId::parse(&server).ok()?;
                let (kind, params) = (QuestionKind::Elicit, params.map(|params| params.0));
                Some(Self::Answer(Question { server, kind, params }))
            }
            APPROVAL_QUESTION => {
                let ApprovalQuestion { form } = serde_json::from_str(params.get()).ok()?;
                Some(Self::Approval(form.0))
            }
            _ => None,
        }
    }
}
