//! What a modern caller carries between two requests: a note to ourselves that nobody else can write
//! or change. It names whose it is, what for and until when; the approval queue knows the rest.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;
use toolgate_types::{Digest, Principal};

use super::resume_token::{
    MARK, ResumeStage, ResumeToken, ResumeTokenError, VERSION, version_and_rest,
};
use super::seal_key::NoRandomness;
use super::{
    ApprovalConsent, ApprovalGone, ApprovalQueue, ApprovalReference, QueuedApproval, ShownCall,
};

/// What goes on after its server asked for something.
#[derive(Debug)]
pub struct ResumedCall {
    /// What was approved.
    pub subject: Digest,
    /// The bytes that were; nothing where nobody had to be asked.
    pub call: Option<Arc<ShownCall>>,
    /// What the server itself wants back.
    pub state: Option<Box<RawValue>>,
    /// The keys of what it asked.
    pub asked: Vec<String>,
}

/// A call that waits for its caller.
#[derive(Debug)]
pub struct ParkedNote<'a> {
    pub reference: &'a ApprovalReference,
    pub subject: Digest,
    pub principal: &'a Principal,
    pub round: usize,
    /// The keys of what is asked.
    pub asked: Vec<String>,
    pub expires: Instant,
}

#[derive(Serialize, Deserialize)]
struct SealedFields {
    stage: ResumeStage,
    r#ref: String,
    queue: u64,
    principal: String,
    subject: String,
    expires: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inner: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    asked: Vec<String>,
}

impl ApprovalQueue {
    /// The note with which a caller comes back for an answer.
    pub async fn note_of(
        &self,
        held: &QueuedApproval,
        principal: &Principal,
    ) -> Option<Box<RawValue>> {
        let subject = held.request().subject;
        self.seal(ResumeToken {
            stage: ResumeStage::Asked,
            reference: held.reference().clone(),
            queue: self.number(),
            principal: principal.as_str().to_owned(),
            subject,
            expires: self.clock(held.deadline()),
            inner: None,
            asked: Vec::new(),
        })
        .await
    }

    /// The note with which a caller goes on with what was approved, after the server asked for
    /// something; it is used once, like every approval.
    pub async fn note_to_go_on(
        &self,
        going_on: ResumedCall,
        principal: &Principal,
        lifetime: Duration,
    ) -> Option<Box<RawValue>> {
        let ResumedCall { subject, call, state, asked } = going_on;
        let reference = ApprovalReference::random();
        let until = Instant::now() + lifetime;
        if let Some(call) = call {
            self.keep_going(&reference, call, until);
        }
        self.seal(ResumeToken {
            stage: ResumeStage::Approved,
            reference,
            queue: self.number(),
            principal: principal.as_str().to_owned(),
            subject,
            expires: self.clock(until),
            inner: state,
            asked,
        })
        .await
    }

    /// The note with which a caller answers a server that waits for it.
    pub async fn note_of_parked(&self, parked: ParkedNote<'_>) -> Option<Box<RawValue>> {
        let ParkedNote { reference, subject, principal, round, asked, expires } = parked;
        self.seal(ResumeToken {
            stage: ResumeStage::Parked,
            reference: reference.clone(),
            queue: self.number(),
            principal: principal.as_str().to_owned(),
            subject,
            expires: self.clock(expires),
            inner: Some(to_raw_value(&round).ok()?),
            asked,
        })
        .await
    }

    /// The round that a note of a parked call is about; nothing where another run of this program
    /// parked it.
    pub fn parked_round(&self, note: &ResumeToken) -> Option<usize> {
        let inner = note.inner.as_deref().filter(|_| note.is_parked())?;
        let round = serde_json::from_str(inner.get()).ok()?;
        (note.queue == self.number()).then_some(round)
    }

    async fn seal(&self, note: ResumeToken) -> Option<Box<RawValue>> {
        let ResumeToken { stage, reference, queue, principal, subject, expires, inner, asked } =
            note;
        let (r#ref, subject) = (reference.as_str().to_owned(), subject.to_hex());
        let written =
            SealedFields { stage, r#ref, queue, principal, subject, expires, inner, asked };
        let body = BASE64.encode(serde_json::to_vec(&written).ok()?);
        let seal = self.key().await.ok()?.hash(&body).digest();
        let seal = BASE64.encode(seal.0);
        RawValue::from_string(format!("\"{MARK}{VERSION}.{body}.{seal}\"")).ok()
    }

    /// Reads a note of ours.
    pub async fn open(
        &self,
        state: &RawValue,
        principal: &Principal,
    ) -> Result<ResumeToken, ResumeTokenError> {
        let text: &str = serde_json::from_str(state.get()).map_err(|_| ResumeTokenError::Forged)?;
        let (version, sealed) = version_and_rest(text).ok_or(ResumeTokenError::Forged)?;
        if version != VERSION {
            return Err(ResumeTokenError::OtherVersion);
        }
        let (body, seal) = sealed.split_once('.').ok_or(ResumeTokenError::Forged)?;
        let seal = BASE64.decode(seal).map_err(|_| ResumeTokenError::Forged)?;
        let key = self.key().await.map_err(|NoRandomness| ResumeTokenError::Forged)?;
        if !key.hash(body).is(&seal) {
            return Err(ResumeTokenError::Forged);
        }
        let body = BASE64.decode(body).map_err(|_| ResumeTokenError::Forged)?;
        let written: SealedFields =
            serde_json::from_slice(&body).map_err(|_| ResumeTokenError::Forged)?;
        let SealedFields { stage, r#ref, queue, principal: whose, subject, expires, inner, asked } =
            written;
        if whose != principal.as_str() {
            return Err(ResumeTokenError::Foreign);
        }
        if self.clock(Instant::now()) >= expires {
            return Err(ResumeTokenError::Expired);
        }
        let subject = Digest::from_hex(&subject).ok_or(ResumeTokenError::Forged)?;
        let reference = ApprovalReference::from(&*r#ref);
        Ok(ResumeToken {
            stage,
            reference,
            queue,
            principal: whose,
            subject,
            expires,
            inner,
            asked,
        })
    }

    /// A call that came back for its answer, if it is the one that was asked about.
    pub fn rejoin(
        &self,
        note: &ResumeToken,
        subject: Digest,
    ) -> Result<QueuedApproval, ApprovalGone> {
        if note.subject != subject {
            return Err(ApprovalGone::Other);
        }
        if note.queue != self.number() || note.stage != ResumeStage::Asked {
            return Err(ApprovalGone::Unknown);
        }
        self.join(&note.reference, subject)
    }

    /// A call that came back and needs no answer any more, whatever it is by now.
    pub fn pick_up(&self, note: &ResumeToken) -> Option<QueuedApproval> {
        self.rejoin(note, note.subject).ok()
    }

    /// Goes on with what was approved.
    pub fn redeem(
        &self,
        note: &ResumeToken,
        subject: Digest,
    ) -> Result<ApprovalConsent, ApprovalGone> {
        if note.subject != subject {
            return Err(ApprovalGone::Other);
        }
        if note.queue != self.number() || note.stage != ResumeStage::Approved {
            return Err(ApprovalGone::Unknown);
        }
        if !self.use_up(note) {
            return Err(ApprovalGone::Used);
        }
        let call = self.go_on(&note.reference).ok_or(ApprovalGone::Unknown)?;
        Ok(ApprovalConsent::to(subject, call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_note_of_another_version_is_ours_and_says_nothing() {
        let approvals = ApprovalQueue::new(None);
        let principal = Principal::local_user();
        let note = |text: &str| RawValue::from_string(format!("\"{text}\"")).unwrap();
        for text in ["toolgate2.e30.c2VhbA", "toolgate99.e30.c2VhbA"] {
            let note = note(text);
            assert!(ResumeToken::is_ours(&note), "{text}");
            let opened = approvals.open(&note, &principal).await;
            assert_eq!(opened.err(), Some(ResumeTokenError::OtherVersion), "{text}");
        }
        for text in ["toolgate.e30.c2VhbA", "toolgateX.e30.c2VhbA", "toolgate4", "another"] {
            assert!(!ResumeToken::is_ours(&note(text)), "{text}");
        }
    }
}
