//! How many records wait.

use toolgate_store::MemoryStore;
use toolgate_types::NoListener;

use super::*;

#[tokio::test]
async fn records_that_are_not_written_yet_are_counted() {
    let store = Arc::new(MemoryStore::default());
    let (log, kept) = (Arc::clone(&store) as Arc<dyn AuditLog>, store as Arc<dyn Store>);
    let settings = AuditSection::default();
    let journal = CallJournal::kept(Arc::new(NoListener), Masker::default(), log, kept, settings);
    assert_eq!(journal.waiting(), 0);
    for _ in 0..3 {
        // Dropped, it reads "aborted"; nobody writes before this test waits.
        drop(journal.open("call", "t", None));
    }
    assert_eq!(journal.waiting(), 3);
    journal.settle().await;
    assert_eq!(journal.waiting(), 0);
}
