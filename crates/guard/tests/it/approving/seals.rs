//! What a caller carries between two requests: nobody else can write, change or use it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::advance;
use toolgate_guard::{ApprovalGone, ApprovalQueue, ResumeToken, ResumeTokenError, ResumedCall};
use toolgate_store::MemoryStore;
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{LIFETIME, json, put, says};

const SUBJECT: Digest = Digest([7; 32]);
const A_WHILE: Duration = Duration::from_secs(900);

fn going_on(state: Option<Box<RawValue>>) -> ResumedCall {
    ResumedCall { subject: SUBJECT, call: Some(Arc::default()), state, asked: Vec::new() }
}

fn ada() -> Principal {
    Principal::named("ada")
}

/// One that is kept for two queues: the same installation, started again.
fn installation() -> (ApprovalQueue, ApprovalQueue) {
    let store: Arc<dyn toolgate_store::Store> = Arc::new(MemoryStore::default());
    (ApprovalQueue::new(Some(Arc::clone(&store))), ApprovalQueue::new(Some(store)))
}

#[tokio::test(start_paused = true)]
async fn a_note_with_any_byte_changed_is_not_ours() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let held = put(&approvals, &told);
    let asked = approvals.note_of(&held, &ada()).await.unwrap();
    let inner = Some(json(r#"{"step":1}"#));
    let approved = approvals.note_to_go_on(going_on(inner), &ada(), A_WHILE).await.unwrap();
    let mut tried = 0;
    for note in [&asked, &approved] {
        approvals.open(note, &ada()).await.unwrap();
        for at in 1..note.get().len() - 1 {
            for other in *b"Aa0-_.Zz9 " {
                let mut bytes = note.get().as_bytes().to_vec();
                if std::mem::replace(&mut bytes[at], other) == other {
                    continue;
                }
                let forged = json(&String::from_utf8(bytes).unwrap());
                let opened = approvals.open(&forged, &ada()).await;
                // Another digit there is another version's note.
                let is_version = note.get()[..at].ends_with("toolgate") && other.is_ascii_digit();
                let expected = if is_version {
                    ResumeTokenError::OtherVersion
                } else {
                    ResumeTokenError::Forged
                };
                assert_eq!(opened.err(), Some(expected), "{at}: {forged}");
                tried += 1;
            }
        }
    }
    assert!(tried > 5_000, "{tried}");
}

#[tokio::test(start_paused = true)]
async fn a_note_that_is_cut_or_put_together_from_two_is_not_ours() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let (one, two) = (put(&approvals, &told), put(&approvals, &told));
    let one = approvals.note_of(&one, &ada()).await.unwrap();
    let two = approvals.note_of(&two, &ada()).await.unwrap();
    let texts = [&one, &two].map(|note| note.get().trim_matches('"').to_owned());
    let (head, _) = texts[0].rsplit_once('.').unwrap();
    let (_, seal) = texts[1].rsplit_once('.').unwrap();
    let mut forged = vec![
        format!("{head}.{seal}"),
        format!("{head}."),
        head.to_owned(),
        format!("{}.", texts[0]),
        format!("{}A", texts[0]),
        "toolgate4.".to_owned(),
        "toolgate4..".to_owned(),
        String::new(),
    ];
    let ends = [1, 2, 10, texts[0].len() - 1];
    forged.extend(ends.map(|end| texts[0][..end].to_owned()));
    for text in forged {
        let opened = approvals.open(&json(&format!("\"{text}\"")), &ada()).await;
        assert!(matches!(opened, Err(ResumeTokenError::Forged)), "{text}");
    }
    for not_even_text in ["null", "7", "{}", "[]", r#""\u0074oolgate1.x""#] {
        let opened = approvals.open(&json(not_even_text), &ada()).await;
        assert!(matches!(opened, Err(ResumeTokenError::Forged)), "{not_even_text}");
    }
}

#[tokio::test(start_paused = true)]
async fn another_callers_note_is_foreign_and_an_old_one_expired() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let held = put(&approvals, &told);
    let note = approvals.note_of(&held, &ada()).await.unwrap();
    let opened = approvals.open(&note, &Principal::named("bob")).await;
    assert!(matches!(opened, Err(ResumeTokenError::Foreign)));
    advance(LIFETIME - Duration::from_millis(1)).await;
    approvals.open(&note, &ada()).await.unwrap();
    advance(Duration::from_millis(1)).await;
    assert!(matches!(approvals.open(&note, &ada()).await, Err(ResumeTokenError::Expired)));
    let opened = approvals.open(&note, &Principal::named("bob")).await;
    assert!(
        matches!(opened, Err(ResumeTokenError::Foreign)),
        "who asks is not told more than that"
    );
}

#[tokio::test(start_paused = true)]
async fn what_another_desk_sealed_is_read_but_not_known() {
    let ((before, after), told) = (installation(), Arc::default());
    let held = put(&before, &told);
    before.answer(held.reference(), says(ApprovalChoice::Once)).unwrap();
    let asked = before.note_of(&held, &ada()).await.unwrap();
    held.leave();
    let asked = after.open(&asked, &ada()).await.unwrap();
    assert!(matches!(after.rejoin(&asked, SUBJECT), Err(ApprovalGone::Unknown)));
    let approved = before.note_to_go_on(going_on(None), &ada(), A_WHILE).await.unwrap();
    let opened = after.open(&approved, &ada()).await.unwrap();
    assert!(matches!(after.redeem(&opened, SUBJECT), Err(ApprovalGone::Unknown)));
    before.redeem(&opened, SUBJECT).expect("the one that sealed it knows it");
    let stranger = ApprovalQueue::new(None);
    assert!(matches!(stranger.open(&approved, &ada()).await, Err(ResumeTokenError::Forged)));
}

#[tokio::test(start_paused = true)]
async fn what_was_approved_goes_on_once_and_for_nothing_else() {
    let (approvals, told) = (ApprovalQueue::new(None), Arc::default());
    let sealed = approvals.note_to_go_on(going_on(None), &ada(), A_WHILE).await.unwrap();
    let note = approvals.open(&sealed, &ada()).await.unwrap();
    assert!(note.is_approved());
    assert!(matches!(approvals.redeem(&note, Digest([8; 32])), Err(ApprovalGone::Other)));
    assert!(
        matches!(approvals.rejoin(&note, SUBJECT), Err(ApprovalGone::Unknown)),
        "nobody waits for it"
    );
    approvals.redeem(&note, SUBJECT).unwrap();
    assert!(matches!(approvals.redeem(&note, SUBJECT), Err(ApprovalGone::Used)));
    advance(A_WHILE - Duration::from_millis(1)).await;
    let again = approvals.open(&sealed, &ada()).await.unwrap();
    assert!(
        matches!(approvals.redeem(&again, SUBJECT), Err(ApprovalGone::Used)),
        "to its last moment"
    );
    advance(Duration::from_millis(1)).await;
    assert!(matches!(approvals.open(&sealed, &ada()).await, Err(ResumeTokenError::Expired)));
    assert!(matches!(approvals.redeem(&again, SUBJECT), Err(ApprovalGone::Used)));
    // And a question is no approval.
    let held = put(&approvals, &told);
    let asked = approvals.note_of(&held, &ada()).await.unwrap();
    let asked = approvals.open(&asked, &ada()).await.unwrap();
    assert!(!asked.is_approved());
    assert!(matches!(approvals.redeem(&asked, SUBJECT), Err(ApprovalGone::Unknown)));
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_state_is_the_servers_and_comes_back_byte_for_byte() {
    for state in [r#""st\u00e4te""#, "\"toolgate\"", "\"\"", "7", r#"{"toolgate4.":1}"#, "null"] {
        assert!(!ResumeToken::is_ours(&json(state)), "{state}");
    }
    let approvals = ApprovalQueue::new(None);
    for inner in [r#""st\u00e4te""#, r#"{ "a" : 1.50, "b": [ ] }"#, "\"toolgate4.a.b\"", "1e400"] {
        let note =
            approvals.note_to_go_on(going_on(Some(json(inner))), &ada(), A_WHILE).await.unwrap();
        assert!(ResumeToken::is_ours(&note));
        let opened = approvals.open(&note, &ada()).await.unwrap();
        assert_eq!(opened.inner.unwrap().get(), inner);
    }
}
