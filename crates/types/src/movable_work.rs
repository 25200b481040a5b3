//! Work on a thread that many share, which goes on elsewhere as soon as it has a long message before it.
//!
//! Reading a long message takes milliseconds, and whoever else is on that thread would wait for it. So such
//! work stops before it begins with that, and its thread hands the rest of it to one where nobody waits. Which
//! that is, is for whoever runs the threads.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// From so many bytes on a message is long.
pub const LONG_MESSAGE: usize = 256 * 1024;

/// Work whose result somebody else keeps.
pub type BoxedWork = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Has work go on elsewhere. What is returned waits for its end, and ends it where it is dropped.
pub type WorkMover = Arc<dyn Fn(BoxedWork) -> BoxedWork + Send + Sync>;

thread_local! {
    /// Where the work of this thread can go.
    static MOVER: RefCell<Option<WorkMover>> = const { RefCell::new(None) };
    /// What the work that runs on this thread right now wants.
    static WISH: Cell<MoveWish> = const { Cell::new(MoveWish::Impossible) };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveWish {
    /// It is not movable, or has nowhere to go.
    Impossible,
    Unwished,
    Wished,
}

/// From now on this thread is shared: movable work leaves it by this.
pub fn share_thread(mover: WorkMover) {
    MOVER.with(|own| *own.borrow_mut() = Some(mover));
}

/// Work that may be moved, once.
pub struct MovableWork {
    work: BoxedWork,
    has_moved: bool,
}

impl MovableWork {
    pub fn new(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { work: Box::pin(work), has_moved: false }
    }
}

impl std::fmt::Debug for MovableWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MovableWork").field("has_moved", &self.has_moved).finish_non_exhaustive()
    }
}

impl Future for MovableWork {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let is_shared = || MOVER.with(|mover| mover.borrow().is_some());
        if self.has_moved || !is_shared() {
            return self.work.as_mut().poll(context);
        }
        let listening = WishOfWork::listen();
        let polled = self.work.as_mut().poll(context);
        let is_wished = listening.is_wished();
        drop(listening);
        let mover = MOVER.with(|mover| mover.borrow().clone());
        match mover.filter(|_| is_wished && polled.is_pending()) {
            Some(mover) => {
                let rest = std::mem::replace(&mut self.work, Box::pin(pending()));
                self.work = mover(rest);
                self.has_moved = true;
                self.work.as_mut().poll(context)
            }
            None => polled,
        }
    }
}

/// Hears what the work wants that is polled meanwhile; what was before is there again afterwards.
struct WishOfWork(MoveWish);

impl WishOfWork {
    fn listen() -> Self {
        Self(WISH.replace(MoveWish::Unwished))
    }

    fn is_wished(&self) -> bool {
        WISH.get() == MoveWish::Wished
    }
}

impl Drop for WishOfWork {
    fn drop(&mut self) {
        WISH.set(self.0);
    }
}

/// To be awaited before a message of this length is read. Short ones, and whatever runs where nobody else
/// waits, go on at once.
pub async fn step_aside(bytes: usize) {
    if bytes < LONG_MESSAGE {
        return;
    }
    let mut has_asked = false;
    poll_fn(|context| {
        if has_asked || WISH.get() == MoveWish::Impossible {
            return Poll::Ready(());
        }
        has_asked = true;
        WISH.set(MoveWish::Wished);
        // Whoever is between this and the work asks again.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests;
