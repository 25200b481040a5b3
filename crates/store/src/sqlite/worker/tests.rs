//! Handing over jobs: answered, finished, and an end that is waited for.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use super::*;

fn worker() -> DatabaseWorker<u32> {
    DatabaseWorker::start("test", 1).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn a_job_is_answered_whichever_way_it_is_waited_for() {
    let worker = worker();
    let more = |owned: &mut u32| {
        *owned += 1;
        Ok(*owned)
    };
    assert_eq!(block_on(worker.run(more)), Ok(2));
    assert_eq!(worker.run_waiting(more), Ok(3));
}

#[test]
fn a_job_nobody_waits_for_is_done_before_the_end() {
    let done = Arc::new(AtomicBool::new(false));
    let worker = worker();
    {
        let done = Arc::clone(&done);
        let mut given_up = pin!(worker.run(move |_| {
            thread::sleep(Duration::from_millis(50));
            done.store(true, Ordering::SeqCst);
            Ok(())
        }));
        assert!(given_up.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    drop(worker);
    assert!(done.load(Ordering::SeqCst));
}

#[test]
fn a_thread_that_died_is_an_error_and_not_a_wait() {
    let worker = worker();
    for _ in 0..2 {
        let gone = block_on(worker.run(|_| -> Result<(), StoreError> { panic!("on purpose") }));
        assert!(matches!(gone, Err(StoreError::Other { .. })));
    }
}
