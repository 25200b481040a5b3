//! What a caller carries between two requests: nobody else can write, change or use it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::advance;
use toolgate_guard::{Broken, Desk, GoingOn, Gone, Note};
use toolgate_store::MemoryStore;
use toolgate_types::ApprovalChoice;
use toolgate_types::{Digest, Principal};

use super::{LIFETIME, json, put, says};

const SUBJECT: Digest = Digest([7; 32]);
const A_WHILE: Duration = Duration::from_secs(900);

fn going_on(state: Option<Box<RawValue>>) -> GoingOn {
    GoingOn { subject: SUBJECT, call: Some(Arc::default()), state, asked: Vec::new() }
}

fn ada() -> Principal {
    Principal::named("ada")
}

/// One that is kept for two desks: the same installation, started again.
fn installation() -> (Desk, Desk) {
    let store: Arc<dyn toolgate_store::Store> = Arc::new(MemoryStore::default());
    (Desk::new(Some(Arc::clone(&store))), Desk::new(Some(store)))
}

#[tokio::test(start_paused = true)]
async fn a_note_with_any_byte_changed_is_not_ours() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let held = put(&desk, &told);
    let asked = desk.note_of(&held, &ada()).await.unwrap();
    let inner = Some(json(r#"{"step":1}"#));
    let approved = desk.note_to_go_on(going_on(inner), &ada(), A_WHILE).await.unwrap();
    let mut tried = 0;
    for note in [&asked, &approved] {
        desk.open(note, &ada()).await.unwrap();
        for at in 1..note.get().len() - 1 {
            for other in *b"Aa0-_.Zz9 " {
                let mut bytes = note.get().as_bytes().to_vec();
                if std::mem::replace(&mut bytes[at], other) == other {
                    continue;
                }
                let forged = json(&String::from_utf8(bytes).unwrap());
                let opened = desk.open(&forged, &ada()).await;
                // Another digit there is another version's note.
                let is_version = note.get()[..at].ends_with("toolgate") && other.is_ascii_digit();
                let expected = if is_version { Broken::OtherVersion } else { Broken::Forged };
                assert_eq!(opened.err(), Some(expected), "{at}: {forged}");
                tried += 1;
            }
        }
    }
    assert!(tried > 5_000, "{tried}");
}

#[tokio::test(start_paused = true)]
async fn a_note_that_is_cut_or_put_together_from_two_is_not_ours() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let (one, two) = (put(&desk, &told), put(&desk, &told));
    let one = desk.note_of(&one, &ada()).await.unwrap();
    let two = desk.note_of(&two, &ada()).await.unwrap();
    let texts = [&one, &two].map(|note| note.get().trim_matches('"').to_owned());
    let (head, _) = texts[0].rsplit_once('.').unwrap();
    let (_, seal) = texts[1].rsplit_once('.').unwrap();
    let mut forged = vec![
        format!("{head}.{seal}"),
        format!("{head}."),
        head.to_owned(),
        format!("{}.", texts[0]),
        format!("{}A", texts[0]),
        "toolgate3.".to_owned(),
        "toolgate3..".to_owned(),
        String::new(),
    ];
    let ends = [1, 2, 10, texts[0].len() - 1];
    forged.extend(ends.map(|end| texts[0][..end].to_owned()));
    for text in forged {
        let opened = desk.open(&json(&format!("\"{text}\"")), &ada()).await;
        assert!(matches!(opened, Err(Broken::Forged)), "{text}");
    }
    for not_even_text in ["null", "7", "{}", "[]", r#""\u0074oolgate1.x""#] {
        let opened = desk.open(&json(not_even_text), &ada()).await;
        assert!(matches!(opened, Err(Broken::Forged)), "{not_even_text}");
    }
}

#[tokio::test(start_paused = true)]
async fn another_callers_note_is_foreign_and_an_old_one_expired() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let held = put(&desk, &told);
    let note = desk.note_of(&held, &ada()).await.unwrap();
    let opened = desk.open(&note, &Principal::named("bob")).await;
    assert!(matches!(opened, Err(Broken::Foreign)));
    advance(LIFETIME - Duration::from_millis(1)).await;
    desk.open(&note, &ada()).await.unwrap();
    advance(Duration::from_millis(1)).await;
    assert!(matches!(desk.open(&note, &ada()).await, Err(Broken::Expired)));
    let opened = desk.open(&note, &Principal::named("bob")).await;
    assert!(matches!(opened, Err(Broken::Foreign)), "who asks is not told more than that");
}

#[tokio::test(start_paused = true)]
async fn what_another_desk_sealed_is_read_but_not_known() {
    let ((before, after), told) = (installation(), Arc::default());
    let held = put(&before, &told);
    before.answer(held.reference(), says(ApprovalChoice::Once)).unwrap();
    let asked = before.note_of(&held, &ada()).await.unwrap();
    held.leave();
    let asked = after.open(&asked, &ada()).await.unwrap();
    assert!(matches!(after.rejoin(&asked, SUBJECT), Err(Gone::Unknown)));
    let approved = before.note_to_go_on(going_on(None), &ada(), A_WHILE).await.unwrap();
    let opened = after.open(&approved, &ada()).await.unwrap();
    assert!(matches!(after.redeem(&opened, SUBJECT), Err(Gone::Unknown)));
    before.redeem(&opened, SUBJECT).expect("the one that sealed it knows it");
    let stranger = Desk::new(None);
    assert!(matches!(stranger.open(&approved, &ada()).await, Err(Broken::Forged)));
}

#[tokio::test(start_paused = true)]
async fn what_was_approved_goes_on_once_and_for_nothing_else() {
    let (desk, told) = (Desk::new(None), Arc::default());
    let sealed = desk.note_to_go_on(going_on(None), &ada(), A_WHILE).await.unwrap();
    let note = desk.open(&sealed, &ada()).await.unwrap();
    assert!(note.is_approved());
    assert!(matches!(desk.redeem(&note, Digest([8; 32])), Err(Gone::Other)));
    assert!(matches!(desk.rejoin(&note, SUBJECT), Err(Gone::Unknown)), "nobody waits for it");
    desk.redeem(&note, SUBJECT).unwrap();
    assert!(matches!(desk.redeem(&note, SUBJECT), Err(Gone::Used)));
    advance(A_WHILE - Duration::from_millis(1)).await;
    let again = desk.open(&sealed, &ada()).await.unwrap();
    assert!(matches!(desk.redeem(&again, SUBJECT), Err(Gone::Used)), "to its last moment");
    advance(Duration::from_millis(1)).await;
    assert!(matches!(desk.open(&sealed, &ada()).await, Err(Broken::Expired)));
    assert!(matches!(desk.redeem(&again, SUBJECT), Err(Gone::Used)));
    // And a question is no approval.
    let held = put(&desk, &told);
    let asked = desk.note_of(&held, &ada()).await.unwrap();
    let asked = desk.open(&asked, &ada()).await.unwrap();
    assert!(!asked.is_approved());
    assert!(matches!(desk.redeem(&asked, SUBJECT), Err(Gone::Unknown)));
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_state_is_the_servers_and_comes_back_byte_for_byte() {
    for state in [r#""st\u00e4te""#, "\"toolgate\"", "\"\"", "7", r#"{"toolgate3.":1}"#, "null"] {
        assert!(!Note::is_ours(&json(state)), "{state}");
    }
    let desk = Desk::new(None);
    for inner in [r#""st\u00e4te""#, r#"{ "a" : 1.50, "b": [ ] }"#, "\"toolgate3.a.b\"", "1e400"] {
        let note = desk.note_to_go_on(going_on(Some(json(inner))), &ada(), A_WHILE).await.unwrap();
        assert!(Note::is_ours(&note));
        let opened = desk.open(&note, &ada()).await.unwrap();
        assert_eq!(opened.inner.unwrap().get(), inner);
    }
}
