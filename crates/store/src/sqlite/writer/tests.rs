//! Handing over jobs: answered, finished, and an end that is waited for.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use super::*;

fn writer() -> Writer {
    Writer::start(Connection::open_in_memory().unwrap(), "/state.db".into()).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn a_job_is_answered_and_its_failure_is_named() {
    let writer = writer();
    let two =
        block_on(writer.run(|db| db.query_row("SELECT 1 + 1", [], |row| row.get::<_, i64>(0))));
    assert_eq!(two, Ok(2));
    let bad = block_on(writer.run(|db| db.execute_batch("SELEC"))).unwrap_err();
    assert!(matches!(bad, StoreError::Other { .. }), "{bad}");
}

#[test]
fn a_job_nobody_waits_for_is_done_before_the_end() {
    let done = Arc::new(AtomicBool::new(false));
    let writer = writer();
    {
        let done = Arc::clone(&done);
        let mut given_up = pin!(writer.run(move |_| {
            thread::sleep(Duration::from_millis(50));
            done.store(true, Ordering::SeqCst);
            Ok(())
        }));
        assert!(given_up.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    drop(writer);
    assert!(done.load(Ordering::SeqCst));
}

#[test]
fn a_thread_that_died_is_an_error_and_not_a_wait() {
    let writer = writer();
    for _ in 0..2 {
        let gone = block_on(writer.run(|_| -> rusqlite::Result<()> { panic!("on purpose") }));
        assert!(matches!(gone, Err(StoreError::Other { .. })));
    }
}
