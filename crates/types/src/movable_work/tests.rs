//! Work that is polled by hand, on threads that share themselves and on such that do not.

use std::sync::Mutex;
use std::task::Waker;

use super::*;

/// A thread of its own that shares itself and moves work to a list, which is polled on the caller's.
fn moved_by(work: impl Future<Output = ()> + Send + 'static) -> (Poll<()>, Vec<BoxedWork>) {
    let moved: Arc<Mutex<Vec<BoxedWork>>> = Arc::default();
    let taken = Arc::clone(&moved);
    let polled = std::thread::spawn(move || {
        share_thread(Arc::new(move |work| {
            taken.lock().unwrap().push(work);
            Box::pin(pending())
        }));
        MovableWork::new(work).polled_once()
    });
    let polled = polled.join().unwrap();
    let moved = std::mem::take(&mut *moved.lock().unwrap());
    (polled, moved)
}

impl MovableWork {
    fn polled_once(mut self) -> Poll<()> {
        Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop()))
    }
}

#[test]
fn work_before_a_long_message_goes_on_elsewhere_and_only_from_there() {
    let steps: Arc<Mutex<Vec<&str>>> = Arc::default();
    let told = Arc::clone(&steps);
    let (polled, mut moved) = moved_by(async move {
        told.lock().unwrap().push("before");
        step_aside(LONG_MESSAGE).await;
        told.lock().unwrap().push("after");
    });
    assert_eq!(polled, Poll::Pending);
    assert_eq!(*steps.lock().unwrap(), ["before"]);
    let ended = moved[0].as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!((ended, moved.len()), (Poll::Ready(()), 1));
    assert_eq!(*steps.lock().unwrap(), ["before", "after"]);
}

#[test]
fn short_messages_and_threads_that_nobody_shares_stop_nothing() {
    let (polled, moved) = moved_by(step_aside(LONG_MESSAGE - 1));
    assert_eq!((polled, moved.len()), (Poll::Ready(()), 0));
    assert_eq!(MovableWork::new(step_aside(LONG_MESSAGE)).polled_once(), Poll::Ready(()));
    // Not within movable work: there is nobody who would move it.
    let (polled, moved) = moved_by(async {
        std::thread::spawn(|| {
            share_thread(Arc::new(|work| work));
            let mut alone = Box::pin(step_aside(LONG_MESSAGE));
            let polled = alone.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(polled, Poll::Ready(()));
        })
        .join()
        .unwrap();
    });
    assert_eq!((polled, moved.len()), (Poll::Ready(()), 0));
}

#[test]
fn work_that_wishes_and_ends_is_not_moved_and_wishes_end_with_their_work() {
    let (polled, moved) = moved_by(async {
        let mut given_up = Box::pin(step_aside(LONG_MESSAGE));
        let _ = poll_fn(|context| Poll::Ready(given_up.as_mut().poll(context))).await;
    });
    assert_eq!((polled, moved.len()), (Poll::Ready(()), 0));
    assert_eq!(WISH.get(), MoveWish::Impossible);
}
