//! A person is asked, over every channel at once, until the first valid answer.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::time::{Instant, sleep_until};
use toolgate_audit::{CallRecord, CallStep};
use toolgate_guard::{
    ApprovalConsent, ApprovalGone, ApprovalOutcome, ApprovalReference, ApprovalVerdict, Approver,
    DecisionReason, QueueFull, QueuedApproval, Refusal,
};
use toolgate_types::config::Channel;
use toolgate_types::{
    ApprovalChoice, ApprovalQuestion, ApprovalReply, ApprovalRequired, Asker, FormAnswer, SessionId,
};
use toolgate_upstream::ServerRemark;
use tracing::debug;

use super::approval_form::{ApprovalForm, FormOutcome, TimedAnswer};
use super::call_trouble::CallTrouble;
use super::decide::session;
use super::open_form::{OpenForm, reply_of};
use super::prepare::PersonQuestion;
use super::returned_answers::ReturnedAnswers;
use super::{Call, CallOptions};
use crate::Host;

/// Some clients give up a call after a minute of silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// What came of asking.
pub(super) enum AskOutcome {
    Approved(ApprovalConsent, Option<OpenForm>),
    /// Only the caller can ask the person, and comes back with the answer.
    Deferred(ApprovalRequired),
}

/// Who can be asked about one call.
struct CallChannels {
    /// Over the caller itself.
    caller: Option<(Arc<dyn Asker>, &'static str)>,
    /// By somebody who looks at the approval queue.
    others: bool,
    /// Whether it waits for those though nobody is there.
    waits_unattended: bool,
}

impl Host {
    pub(super) async fn ask(
        &self,
        question: Box<PersonQuestion>,
        returned: Option<ReturnedAnswers>,
        call: &Call,
        record: &mut CallRecord,
    ) -> Result<AskOutcome, CallTrouble> {
        let channels = self.channels(&call.options);
        let (held, back_with) = match self.back_with_an_answer(&question, returned)? {
            CallerReturn::Approved(consent) => return Ok(AskOutcome::Approved(consent, None)),
            CallerReturn::Waiting(held, said) => (held, Some(said)),
            CallerReturn::New => {
                let request = self.request(&question, call, record);
                if channels.caller.is_none() && !channels.others {
                    let server = question.upstream.id();
                    debug!(call = %record.correlation(), server = server.as_str(), "there is nobody to ask");
                    request.note.settled(&ApprovalReference::from("-"), &ApprovalOutcome::Unheard);
                    return Err(Refusal::NoChannel(question.unasked.reason.clone()).into());
                }
                let held = self.inner.approvals.put(request);
                (held.map_err(|QueueFull| CallTrouble::TooManyWaiting)?, None)
            }
        };
        let CallChannels { caller, others, waits_unattended } = channels;
        let unheard = || Refusal::NoChannel(question.unasked.reason.clone());
        debug!(
            call = %record.correlation(),
            session = session(&call.options).map(SessionId::shown),
            server = question.upstream.id().as_str(),
            approval = %held.reference(),
            asked_through = caller.as_ref().map(|(_, channel)| *channel),
            others,
            is_back = back_with.is_some(),
            "a person is asked"
        );
        let caller = match back_with {
            // Asked already. Nothing said, or nothing valid: that channel is closed.
            Some(said) => {
                let form = ApprovalForm::for_caller(held.request(), caller.as_ref());
                let fastest = held.request().fastest_answer;
                let said = TimedAnswer::new(said, "agent", held.was_away(), fastest);
                let outcome = form.say(&held, said);
                if !others {
                    alone(&held, outcome, "agent").map_err(|()| unheard())?;
                }
                None
            }
            None => caller,
        };
        let unattended = (!waits_unattended).then(|| question.unasked.reason.clone());
        let asked = self.wait(held, caller, (others, unattended), &call.options, unheard).await;
        // A person's time is no server's.
        record.took(CallStep::Approve);
        asked
    }

    /// Waits for the first answer, with signs of life.
    async fn wait(
        &self,
        mut held: QueuedApproval,
        caller: Option<(Arc<dyn Asker>, &'static str)>,
        (others, unattended): (bool, Option<DecisionReason>),
        options: &CallOptions,
        unheard: impl Fn() -> Refusal,
    ) -> Result<AskOutcome, CallTrouble> {
        let asked = ApprovalForm::for_caller(held.request(), caller.as_ref());
        let mut form = caller.map(|(asker, channel)| OpenForm::show(asker, channel, asked));
        let mut signs = tokio::time::interval(SIGN_OF_LIFE);
        let mut count = 0_u32;
        // From when on only others can answer, who may not be there.
        let mut patience = unattended.map(|reason| (Instant::now(), reason));
        loop {
            let lost = patience.as_ref().filter(|_| form.is_none() && others);
            let lost = lost.map(|(since, _)| *since + self.asking().unattended);
            tokio::select! {
                biased;
                settled = held.settled() => {
                    if let (Some(form), Err(outcome)) = (&form, &settled) {
                        form.is_over(why_over(outcome));
                    }
                    return settled.map_err(refused).map(|consent| AskOutcome::Approved(consent, form));
                }
                (reply, closed) = reply_of(&mut form) => {
                    let channel = closed.channel;
                    if let Some((since, _)) = &mut patience {
                        *since = Instant::now();
                    }
                    let said = match reply {
                        ApprovalReply::Said(choice) => Some(FormAnswer::Chose(choice)),
                        ApprovalReply::Declined => Some(FormAnswer::Declined),
                        ApprovalReply::Nothing => None,
                        ApprovalReply::Deferred => {
                            let approval = held.reference();
                            debug!(%approval, "the caller asks, and comes back with the answer");
                            return self.defer(held, closed.form.question, options).await;
                        }
                        ApprovalReply::NoChannel if !others => {
                            held.say_unheard();
                            return Err(unheard().into());
                        }
                        ApprovalReply::NoChannel => {
                            debug!(approval = %held.reference(), channel, "channel closed unanswered");
                            continue;
                        }
                    };
                    let said = closed.timed(said, held.request().fastest_answer);
                    let outcome = closed.form.say(&held, said);
                    if !others {
                        alone(&held, outcome, channel).map_err(|()| unheard())?;
                    }
                }
                () = sleep_until_some(lost) => {
                    // Looked at only now: whoever came meanwhile is there.
                    let is_lost = !self.inner.approvals.is_attended(&held.request().channels);
                    if let (true, Some((_, reason))) = (is_lost, patience.take()) {
                        held.say_unheard();
                        return Err(Refusal::Unattended(reason).into());
                    }
                }
                _ = signs.tick() => {
                    count += 1;
                    sign_of_life(options, held.reference(), count);
                }
            }
        }
    }

    /// The caller is told what to ask, and the call waits at the approval queue for either answer.
    async fn defer(
        &self,
        held: QueuedApproval,
        question: ApprovalQuestion,
        options: &CallOptions,
    ) -> Result<AskOutcome, CallTrouble> {
        let note = self.inner.approvals.note_of(&held, &self.principal(options)).await;
        let note = note.ok_or(CallTrouble::Unreadable)?;
        held.leave();
        Ok(AskOutcome::Deferred(ApprovalRequired { question, state: note }))
    }

    /// A call came back that nobody has to be asked about any more. The question is taken back; a no
    /// that was given counts all the same.
    pub(super) fn unasked_after_all(
        &self,
        returned: Option<ReturnedAnswers>,
    ) -> Result<(), CallTrouble> {
        let Some(ReturnedAnswers { note, said }) = returned else { return Ok(()) };
        let Some(held) = self.inner.approvals.pick_up(&note) else { return Ok(()) };
        let fastest = held.request().fastest_answer;
        let said = TimedAnswer::new(said, "agent", held.was_away(), fastest);
        ApprovalForm::whole(held.request()).say(&held, said);
        held.settled_by_now().map_or(Ok(()), |settled| settled.map(drop).map_err(refused))
    }

    fn channels(&self, options: &CallOptions) -> CallChannels {
        let asking = self.asking();
        let client = options.caller.as_ref().and_then(|caller| caller.client.as_deref());
        let allowed = asking.channels(client);
        let attendant = options.attendant.as_ref();
        let asker = attendant.map_or(&self.inner.world.asker, |attendant| &attendant.asker);
        let caller = asker.approves().filter(|_| allowed.contains(&Channel::Agent));
        let approvals = &self.inner.approvals;
        CallChannels {
            waits_unattended: asker.waits_unattended(),
            caller: caller.map(|channel| (Arc::clone(asker), channel)),
            others: approvals.has_queue() && allowed.contains(&Channel::Queue)
                || approvals.has_desktop() && allowed.contains(&Channel::Desktop),
        }
    }

    /// Where a call came back, what became of it meanwhile.
    fn back_with_an_answer(
        &self,
        question: &PersonQuestion,
        returned: Option<ReturnedAnswers>,
    ) -> Result<CallerReturn, CallTrouble> {
        let Some(ReturnedAnswers { note, said }) = returned else { return Ok(CallerReturn::New) };
        let approvals = &self.inner.approvals;
        let back = match note.is_approved() {
            true => approvals.redeem(&note, question.subject).map(CallerReturn::Approved),
            false => {
                let rejoined = approvals.rejoin(&note, question.subject);
                // Where nothing was said the channel is as closed as where a no was.
                rejoined.map(|held| CallerReturn::Waiting(held, said))
            }
        };
        match back {
            Ok(back) => Ok(back),
            // Another run of this program asked; nobody knows here what was said.
            Err(ApprovalGone::Unknown) => Ok(CallerReturn::New),
            Err(ApprovalGone::Other) => Err(Refusal::Changed.into()),
            Err(ApprovalGone::Used | ApprovalGone::UnderWay) => Err(Refusal::Used.into()),
        }
    }
}

enum CallerReturn {
    New,
    Waiting(QueuedApproval, Option<FormAnswer>),
    Approved(ApprovalConsent),
}

/// Never, where there is no such moment.
async fn sleep_until_some(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// What a channel is worth that closed and was the only one: a no, unless no person saw it.
fn alone(held: &QueuedApproval, closed: FormOutcome, channel: &'static str) -> Result<(), ()> {
    match closed {
        FormOutcome::Counted => Ok(()),
        FormOutcome::Nothing => {
            held.say(ApprovalChoice::Deny, Approver::over(channel), None);
            Ok(())
        }
        FormOutcome::Machine => {
            held.say_unheard();
            Err(())
        }
    }
}

/// Why a form that is still open is taken away.
fn why_over(outcome: &ApprovalOutcome) -> &'static str {
    match outcome {
        ApprovalOutcome::Answered(_) => "it was declined elsewhere",
        ApprovalOutcome::Expired => "nobody answered in time, so it was not done",
        ApprovalOutcome::Withdrawn | ApprovalOutcome::Unheard => "the call is over",
    }
}

fn refused(outcome: ApprovalOutcome) -> CallTrouble {
    match outcome {
        ApprovalOutcome::Answered(ApprovalVerdict { reason, .. }) => {
            Refusal::declined(reason).into()
        }
        ApprovalOutcome::Expired => Refusal::Expired.into(),
        ApprovalOutcome::Withdrawn | ApprovalOutcome::Unheard => CallTrouble::Cancelled,
    }
}

/// Small and rising, so that what the server reports later is more.
fn sign_of_life(options: &CallOptions, reference: &ApprovalReference, count: u32) {
    #[derive(Serialize)]
    struct Report {
        progress: f64,
        message: String,
    }
    let Some(remarks) = &options.remarks else { return };
    let message = format!("waiting for the user (ref {reference})");
    let report = Report { progress: f64::from(count) / 1e6, message };
    if let Ok(report) = to_raw_value(&report) {
        // Who does not read along misses some.
        let _ = remarks.try_send(ServerRemark::Progress(report));
    }
}
