//! Plans and notes in every store: for the one who works there, and only so many.

use toolgate_store::{KeptFor, KeptPlan, NewNote, WorkBook};

use super::on_every_store;

fn places() -> [KeptFor; 3] {
    [KeptFor::new("ada", "/a"), KeptFor::new("bob", "/a"), KeptFor::new("ada", "/b")]
}

fn note(text: &str) -> NewNote {
    NewNote { text: text.to_owned(), written_at: 7 }
}

async fn texts(store: &dyn WorkBook, owner: &KeptFor) -> Vec<String> {
    let notes = store.notes(owner, None, 9).await.unwrap();
    notes.into_iter().map(|note| note.text).collect()
}

#[test]
fn a_plan_is_the_last_one_of_who_works_there() {
    on_every_store(&async |store| {
        let [ada, bob, elsewhere] = places();
        for body in ["first", "second"] {
            let plan = KeptPlan { body: body.to_owned(), kept_at: 3 };
            store.keep_plan(&ada, plan.clone()).await.unwrap();
            assert_eq!(store.plan(&ada).await.unwrap(), Some(plan));
        }
        for other in [bob, elsewhere] {
            assert_eq!(store.plan(&other).await.unwrap(), None);
        }
    });
}

#[test]
fn notes_come_newest_first_and_the_oldest_go() {
    on_every_store(&async |store| {
        let [ada, bob, elsewhere] = places();
        store.add_note(&bob, note("bob's"), 3).await.unwrap();
        for text in ["one", "two", "three", "four"] {
            store.add_note(&ada, note(text), 3).await.unwrap();
        }
        assert_eq!(texts(store, &ada).await, ["four", "three", "two"]);
        assert_eq!(texts(store, &bob).await, ["bob's"]);
        assert!(texts(store, &elsewhere).await.is_empty());
        let newest = store.notes(&ada, None, 1).await.unwrap().remove(0);
        assert_eq!(newest.written_at, 7);
        let before = store.notes(&ada, Some(newest.number), 1).await.unwrap();
        assert_eq!(before[0].text, "three");
    });
}
