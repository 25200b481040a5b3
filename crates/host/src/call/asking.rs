//! A person is asked, over every channel at once, until the first valid answer.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_audit::{Record, Step};
use toolgate_guard::{
    Approver, Consent, Full, Gone, Held, Petition, Reference, Refusal, Settled, Verdict,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::config::Channel;
use toolgate_types::{Answer, Asker, InputQuestion, InputRequired, QuestionKind, visible};

use super::approval_form::ApprovalForm;
use super::failing::Trouble;
use super::preparing::Question;
use super::returning::Returned;
use super::{Call, Options};
use crate::Host;

/// Some clients give up a call after a minute of silence.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// The most of a person's own words that a caller is told.
const LONGEST_WORDS: usize = 300;

/// What came of asking.
pub(super) enum Asked {
    Approved(Consent),
    /// Only the caller can ask the person, and comes back with the answer.
    Deferred(InputRequired),
}

/// Who can be asked about one call.
struct Channels {
    /// Over the caller itself.
    caller: Option<(Arc<dyn Asker>, &'static str)>,
    /// By somebody who looks at the desk.
    others: bool,
}

impl Host {
    pub(super) async fn ask(
        &self,
        question: Box<Question>,
        returned: Option<Returned>,
        call: &Call,
        record: &mut Record,
    ) -> Result<Asked, Trouble> {
        let channels = self.channels(&call.options);
        let (held, answer) = match self.back_at_the_desk(&question, returned)? {
            Back::Approved(consent) => return Ok(Asked::Approved(consent)),
            Back::Waiting(held, answer) => (held, Some(answer)),
            Back::New => {
                let petition = self.petition(&question, call, record);
                if channels.caller.is_none() && !channels.others {
                    petition.note.settled(&Reference::from("-"), &Settled::Unheard);
                    return Err(Refusal::NoChannel(question.unasked.reason.clone()).into());
                }
                let held = self.inner.desk.put(petition);
                (held.map_err(|Full| Trouble::TooManyWaiting)?, None)
            }
        };
        let Channels { caller, others } = channels;
        let caller = match answer {
            // Asked already. Nothing filled in, or nothing valid: that channel is closed.
            Some(answer) => {
                let form = ApprovalForm::for_caller(held.petition(), caller.as_ref());
                if !form.say(&held, &answer, "agent") && !others {
                    held.say(ApprovalChoice::Deny, Approver::over("agent"), None);
                }
                None
            }
            None => caller,
        };
        let unheard = || Refusal::NoChannel(question.unasked.reason.clone());
        let asked = self.wait(held, caller, others, &call.options, unheard).await;
        // A person's time is no server's.
        record.took(Step::Approve);
        asked
    }

    /// Waits for the first answer, with signs of life.
    async fn wait(
        &self,
        mut held: Held,
        caller: Option<(Arc<dyn Asker>, &'static str)>,
        others: bool,
        options: &Options,
        unheard: impl Fn() -> Refusal,
    ) -> Result<Asked, Trouble> {
        let asked = ApprovalForm::for_caller(held.petition(), caller.as_ref());
        let form = asked.to_raw().ok_or(Trouble::Unreadable)?;
        let mut is_open = caller.is_some();
        let channel = caller.as_ref().map_or("agent", |(_, channel)| *channel);
        let mut asking = pin!(async {
            match &caller {
                Some((asker, _)) => asker.approve(form.clone()).await,
                None => pending().await,
            }
        });
        let mut signs = tokio::time::interval(SIGN_OF_LIFE);
        let mut count = 0_u32;
        loop {
            tokio::select! {
                biased;
                settled = held.settled() => return approved(settled),
                answer = &mut asking, if is_open => {
                    is_open = false;
                    match answer {
                        Answer::Answered(answer) => {
                            // Alone, a channel that closes is a no.
                            if !asked.say(&held, &answer, channel) && !others {
                                held.say(ApprovalChoice::Deny, Approver::over(channel), None);
                            }
                        }
                        Answer::Defer(_) => return self.defer(held, form.clone(), options).await,
                        Answer::NoChannel | Answer::Refused(_) if !others => {
                            held.say_unheard();
                            return Err(unheard().into());
                        }
                        Answer::NoChannel | Answer::Refused(_) => {}
                    }
                }
                _ = signs.tick() => {
                    count += 1;
                    sign_of_life(options, held.reference(), count);
                }
            }
        }
    }

    /// The caller is told what to ask, and the call waits at the desk for either answer.
    async fn defer(
        &self,
        held: Held,
        form: Box<RawValue>,
        options: &Options,
    ) -> Result<Asked, Trouble> {
        let note = self.inner.desk.note_of(&held, &self.principal(options)).await;
        let note = note.ok_or(Trouble::Unreadable)?;
        let result = required(&form, &note).ok_or(Trouble::Unreadable)?;
        held.leave();
        let (key, kind) = (Petition::KEY.to_owned(), Some(QuestionKind::Elicit));
        let questions = vec![InputQuestion { key, kind, params: Some(form) }];
        Ok(Asked::Deferred(InputRequired { questions, state: Some(note), result }))
    }

    /// A call came back that nobody has to be asked about any more. The question is taken back; a no
    /// that was given counts all the same.
    pub(super) fn unasked_after_all(&self, returned: Option<Returned>) -> Result<(), Trouble> {
        let Some(Returned { note, answer }) = returned else { return Ok(()) };
        let Some(held) = self.inner.desk.pick_up(&note) else { return Ok(()) };
        if let Some(answer) = answer {
            ApprovalForm::whole(held.petition()).say(&held, &answer, "agent");
        }
        held.settled_by_now().map_or(Ok(()), |settled| approved(settled).map(drop))
    }

    fn channels(&self, options: &Options) -> Channels {
        let asking = self.asking();
        let client = options.caller.as_ref().and_then(|caller| caller.client.as_deref());
        let allowed = asking.channels(client);
        let attendant = options.attendant.as_ref();
        let asker = attendant.map_or(&self.inner.world.asker, |attendant| &attendant.asker);
        let caller = asker.approves().filter(|_| allowed.contains(&Channel::Agent));
        let desk = &self.inner.desk;
        Channels {
            caller: caller.map(|channel| (Arc::clone(asker), channel)),
            others: desk.has_queue() && allowed.contains(&Channel::Queue)
                || desk.has_desktop() && allowed.contains(&Channel::Desktop),
        }
    }

    /// Where a call came back, what became of it meanwhile.
    fn back_at_the_desk(
        &self,
        question: &Question,
        returned: Option<Returned>,
    ) -> Result<Back, Trouble> {
        let Some(Returned { note, answer }) = returned else { return Ok(Back::New) };
        let desk = &self.inner.desk;
        let back = match note.is_approved() {
            true => desk.redeem(&note, question.subject).map(Back::Approved),
            false => {
                let rejoined = desk.rejoin(&note, question.subject);
                // Where nothing was filled in the channel is as closed as where a no was.
                let answer = answer.unwrap_or_else(|| RawValue::NULL.to_owned());
                rejoined.map(|held| Back::Waiting(held, answer))
            }
        };
        match back {
            Ok(back) => Ok(back),
            // Another run of this program asked; nobody knows here what was said.
            Err(Gone::Unknown) => Ok(Back::New),
            Err(Gone::Other) => Err(Refusal::Changed.into()),
            Err(Gone::Used | Gone::UnderWay) => Err(Refusal::Expired.into()),
        }
    }
}

enum Back {
    New,
    Waiting(Held, Box<RawValue>),
    Approved(Consent),
}

fn approved(settled: Result<Consent, Settled>) -> Result<Asked, Trouble> {
    match settled {
        Ok(consent) => Ok(Asked::Approved(consent)),
        Err(Settled::Answered(Verdict { reason, .. })) => {
            let said = reason.map(|said| said.chars().take(LONGEST_WORDS).collect::<String>());
            Err(Refusal::Declined(said.map(|said| visible(&said))).into())
        }
        Err(Settled::Expired) => Err(Refusal::Expired.into()),
        Err(Settled::Withdrawn | Settled::Unheard) => Err(Trouble::Cancelled),
    }
}

/// Small and rising, so that what the server reports later is more.
fn sign_of_life(options: &Options, reference: &Reference, count: u32) {
    #[derive(Serialize)]
    struct Report {
        progress: f64,
        message: String,
    }
    let Some(progress) = &options.progress else { return };
    let message = format!("waiting for the user (ref {reference})");
    let report = Report { progress: f64::from(count) / 1e6, message };
    if let Ok(report) = to_raw_value(&report) {
        // Who does not read along misses some.
        let _ = progress.try_send(report);
    }
}

/// What the caller is to ask, as the protocol says it.
fn required(form: &RawValue, note: &RawValue) -> Option<Box<RawValue>> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Required<'a> {
        result_type: &'a str,
        input_requests: IndexMap<&'a str, Request<'a>>,
        request_state: &'a RawValue,
    }
    #[derive(Serialize)]
    struct Request<'a> {
        method: &'a str,
        params: &'a RawValue,
    }
    let approval = Request { method: "elicitation/create", params: form };
    to_raw_value(&Required {
        result_type: "input_required",
        input_requests: [(Petition::KEY, approval)].into(),
        request_state: note,
    })
    .ok()
}
