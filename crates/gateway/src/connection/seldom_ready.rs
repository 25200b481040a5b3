//! What hardly ever happens, beside what happens all the time.
//!
//! A task looks at everything that it waits for whenever it is woken. What ends a connection from outside waits beside
//! each of its messages, and looking at all of it cost each of them a good part of what reading it does. It has a
//! waker of its own here, and is looked at only when that was used.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

/// Such a future.
pub(crate) struct SeldomReady<'a, F> {
    future: Pin<&'a mut F>,
    waker: Waker,
    wakeup: Arc<SeldomWakeup>,
}

/// Whether it was woken, and the task that wants to know.
struct SeldomWakeup {
    is_due: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl<'a, F: Future> SeldomReady<'a, F> {
    pub(crate) fn new(future: Pin<&'a mut F>) -> Self {
        // Nothing can wake it before it was looked at once.
        let wakeup =
            Arc::new(SeldomWakeup { is_due: AtomicBool::new(true), task: Mutex::default() });
        Self { future, waker: Arc::clone(&wakeup).into(), wakeup }
    }
}

impl<F: Future> Future for SeldomReady<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // In this order: what is due from here on wakes this task.
        self.wakeup.tell(context.waker());
        if !self.wakeup.is_due.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let Self { future, waker, .. } = &mut *self;
        future.as_mut().poll(&mut Context::from_waker(waker))
    }
}

impl SeldomWakeup {
    fn tell(&self, waker: &Waker) {
        let mut task = self.task.lock();
        if !task.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *task = Some(waker.clone());
        }
    }
}

impl Wake for SeldomWakeup {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_due.store(true, Ordering::Release);
        let task = self.task.lock().clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests;
