//! A queue into which hardly ever anything is put: of what is said about a call while it runs, and most calls are
//! over before anybody said anything. It is one small piece of memory until then.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

/// A queue for one reader, with room for so many.
pub fn quiet_queue<T>(most: usize) -> (QuietSender<T>, QuietReceiver<T>) {
    let state = QueueState {
        waiting: VecDeque::new(),
        kept_free: 0,
        senders: 1,
        is_read: true,
        reader: None,
        writers: Vec::new(),
    };
    let queue = Arc::new(QuietQueue { most, state: Mutex::new(state) });
    (QuietSender(Arc::clone(&queue)), QuietReceiver(queue))
}

struct QuietQueue<T> {
    most: usize,
    state: Mutex<QueueState<T>>,
}

struct QueueState<T> {
    waiting: VecDeque<T>,
    /// How many places belong to somebody who has not put anything there yet.
    kept_free: usize,
    senders: usize,
    /// Whether somebody will read what is put in.
    is_read: bool,
    reader: Option<Waker>,
    /// Those who wait for room.
    writers: Vec<Waker>,
}

/// Puts things in.
pub struct QuietSender<T>(Arc<QuietQueue<T>>);

/// Takes them out, in the order in which they came.
pub struct QuietReceiver<T>(Arc<QuietQueue<T>>);

/// A place in a queue that nobody else can take.
#[derive(Debug)]
pub struct QueueRoom<'a, T>(&'a QuietSender<T>);

impl<T> QuietSender<T> {
    /// How much could be put in now.
    pub fn room_left(&self) -> usize {
        let state = self.0.state.lock();
        self.0.most.saturating_sub(state.waiting.len() + state.kept_free)
    }

    /// Puts it in if there is room and somebody who reads; it comes back otherwise.
    pub fn try_send(&self, one: T) -> Result<(), T> {
        let mut state = self.0.state.lock();
        if !state.is_read || state.waiting.len() + state.kept_free >= self.0.most {
            return Err(one);
        }
        state.waiting.push_back(one);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        Ok(())
    }

    /// A place in it, once there is one; nothing where nobody reads any more.
    pub async fn room(&self) -> Option<QueueRoom<'_, T>> {
        poll_fn(|context| self.poll_room(context)).await
    }

    /// Puts it in once there is room; whether somebody is there to read it.
    pub async fn send(&self, one: T) -> bool {
        match self.room().await {
            Some(room) => {
                room.send(one);
                true
            }
            None => false,
        }
    }

    fn poll_room(&self, context: &Context<'_>) -> Poll<Option<QueueRoom<'_, T>>> {
        let mut state = self.0.state.lock();
        if !state.is_read {
            return Poll::Ready(None);
        }
        if state.waiting.len() + state.kept_free < self.0.most {
            state.kept_free += 1;
            return Poll::Ready(Some(QueueRoom(self)));
        }
        if !state.writers.iter().any(|writer| writer.will_wake(context.waker())) {
            state.writers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

impl<T> QueueRoom<'_, T> {
    pub fn send(self, one: T) {
        let mut state = self.0.0.state.lock();
        if !state.is_read {
            return;
        }
        state.waiting.push_back(one);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        // Its place is given back where this ends.
    }
}

impl<T> Drop for QueueRoom<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.0.state.lock();
        state.kept_free -= 1;
        let writers = std::mem::take(&mut state.writers);
        drop(state);
        wake(writers);
    }
}

impl<T> QuietReceiver<T> {
    /// The next one; nothing once it is empty and nobody is left to put anything in.
    pub async fn recv(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_recv(context)).await
    }

    pub fn poll_recv(&mut self, context: &Context<'_>) -> Poll<Option<T>> {
        let mut state = self.0.state.lock();
        if let Some(one) = state.waiting.pop_front() {
            let writers = std::mem::take(&mut state.writers);
            drop(state);
            wake(writers);
            return Poll::Ready(Some(one));
        }
        if state.senders == 0 {
            return Poll::Ready(None);
        }
        let is_known =
            state.reader.as_ref().is_some_and(|reader| reader.will_wake(context.waker()));
        let earlier = if is_known { None } else { state.reader.replace(context.waker().clone()) };
        drop(state);
        drop(earlier);
        Poll::Pending
    }

    /// The next one, if it is there.
    pub fn try_recv(&mut self) -> Option<T> {
        let mut state = self.0.state.lock();
        let one = state.waiting.pop_front()?;
        let writers = std::mem::take(&mut state.writers);
        drop(state);
        wake(writers);
        Some(one)
    }
}

/// Never under the lock: waking may end a task that holds an end of this queue. All who wait for room are woken,
/// since one that was may be gone before it looks.
fn wake(sleepers: impl IntoIterator<Item = Waker>) {
    sleepers.into_iter().for_each(Waker::wake);
}

impl<T> Clone for QuietSender<T> {
    fn clone(&self) -> Self {
        self.0.state.lock().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for QuietSender<T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.senders -= 1;
        let reader = if state.senders == 0 { state.reader.take() } else { None };
        drop(state);
        wake(reader);
    }
}

impl<T> Drop for QuietReceiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_read = false;
        let (writers, reader) = (std::mem::take(&mut state.writers), state.reader.take());
        // What nobody reads any more may hold an end of this queue too.
        let unread = std::mem::take(&mut state.waiting);
        drop(state);
        wake(writers);
        drop((unread, reader));
    }
}

impl<T> fmt::Debug for QuietSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuietSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for QuietReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuietReceiver").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
