//! What has a waker of its own, polled by hand.

use std::cell::Cell;
use std::pin::pin;
use std::sync::atomic::AtomicU32;

use tokio::sync::oneshot;

use super::*;

/// A task that counts how often it is woken.
#[derive(Default)]
struct WokenTask(AtomicU32);

impl Wake for WokenTask {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl WokenTask {
    fn poll<F: Future>(self: &Arc<Self>, future: &mut SeldomReady<'_, F>) -> Poll<F::Output> {
        let waker = Arc::clone(self).into();
        Pin::new(future).poll(&mut Context::from_waker(&waker))
    }

    fn woken(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn it_is_looked_at_once_and_then_when_it_was_woken() {
    let (sender, mut receiver) = oneshot::channel::<u8>();
    let looks = Cell::new(0);
    let future = pin!(std::future::poll_fn(|context| {
        looks.set(looks.get() + 1);
        Pin::new(&mut receiver).poll(context)
    }));
    let (task, mut seldom) = (Arc::new(WokenTask::default()), SeldomReady::new(future));
    for _ in 0..5 {
        assert_eq!(task.poll(&mut seldom), Poll::Pending);
    }
    assert_eq!((looks.get(), task.woken()), (1, 0));
    sender.send(7).unwrap();
    assert_eq!((looks.get(), task.woken()), (1, 1), "the task is told, and looks when it likes");
    assert_eq!(task.poll(&mut seldom), Poll::Ready(Ok(7)));
    assert_eq!(looks.get(), 2);
}

#[test]
fn whoever_looked_last_is_woken() {
    let (sender, mut receiver) = oneshot::channel::<u8>();
    let (first, last) = (Arc::new(WokenTask::default()), Arc::new(WokenTask::default()));
    let mut seldom = SeldomReady::new(Pin::new(&mut receiver));
    assert!(first.poll(&mut seldom).is_pending());
    assert!(last.poll(&mut seldom).is_pending());
    sender.send(7).unwrap();
    assert_eq!((first.woken(), last.woken()), (0, 1));
    assert_eq!(last.poll(&mut seldom), Poll::Ready(Ok(7)));
}

#[test]
fn what_is_ready_at_once_is() {
    let ready = pin!(async { 7 });
    let mut seldom = SeldomReady::new(ready);
    assert_eq!(Arc::new(WokenTask::default()).poll(&mut seldom), Poll::Ready(7));
}
