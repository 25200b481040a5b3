//! Queues that are polled by hand, and one between two threads.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::*;

/// Counts how often it was woken.
#[derive(Default)]
struct WakeCounter(AtomicUsize);

impl Wake for WakeCounter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl WakeCounter {
    fn woken(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn polled<F: Future>(future: std::pin::Pin<&mut F>, sleeper: &Arc<WakeCounter>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(&Waker::from(Arc::clone(sleeper))))
}

#[test]
fn what_was_put_in_comes_out_in_its_order_and_no_more_than_there_is_room_for() {
    let (sender, mut receiver) = quiet_queue(2);
    assert_eq!(
        (sender.try_send(1), sender.try_send(2), sender.try_send(3)),
        (Ok(()), Ok(()), Err(3))
    );
    assert_eq!(sender.room_left(), 0);
    assert_eq!(
        (receiver.try_recv(), receiver.try_recv(), receiver.try_recv()),
        (Some(1), Some(2), None)
    );
    assert_eq!(sender.room_left(), 2);
}

#[test]
fn the_reader_is_woken_by_what_comes_and_by_the_end_of_the_last_sender() {
    let (sender, mut receiver) = quiet_queue(2);
    let (other, sleeper) = (sender.clone(), Arc::<WakeCounter>::default());
    {
        let mut next = pin!(receiver.recv());
        assert_eq!(polled(next.as_mut(), &sleeper), Poll::Pending);
        sender.try_send("one").unwrap();
        assert_eq!(sleeper.woken(), 1);
        assert_eq!(polled(next, &sleeper), Poll::Ready(Some("one")));
    }
    let mut next = pin!(receiver.recv());
    assert_eq!(polled(next.as_mut(), &sleeper), Poll::Pending);
    drop(sender);
    assert_eq!(sleeper.woken(), 1, "another is left");
    drop(other);
    assert_eq!(sleeper.woken(), 2);
    assert_eq!(polled(next, &sleeper), Poll::Ready(None));
}

#[test]
fn who_waits_for_room_is_woken_when_there_is_some_or_when_nobody_reads_any_more() {
    let (sender, mut receiver) = quiet_queue(1);
    let sleeper = Arc::<WakeCounter>::default();
    sender.try_send(1).unwrap();
    let mut sending = pin!(sender.send(2));
    assert_eq!(polled(sending.as_mut(), &sleeper), Poll::Pending);
    assert_eq!(receiver.try_recv(), Some(1));
    assert_eq!(sleeper.woken(), 1);
    assert_eq!(polled(sending, &sleeper), Poll::Ready(true));
    let mut late = pin!(sender.send(3));
    assert_eq!(polled(late.as_mut(), &sleeper), Poll::Pending);
    drop(receiver);
    assert_eq!(sleeper.woken(), 2);
    assert_eq!(polled(late, &sleeper), Poll::Ready(false));
    assert_eq!(sender.try_send(4), Err(4));
}

#[test]
fn a_place_that_was_taken_is_nobody_elses_and_is_given_back_unused() {
    let (sender, mut receiver) = quiet_queue(1);
    let sleeper = Arc::<WakeCounter>::default();
    let Poll::Ready(Some(room)) = polled(pin!(sender.room()), &sleeper) else { panic!("no room") };
    assert_eq!(sender.try_send(1), Err(1));
    let mut other = pin!(sender.room());
    assert!(polled(other.as_mut(), &sleeper).is_pending());
    drop(room);
    assert_eq!(sleeper.woken(), 1);
    let Poll::Ready(Some(room)) = polled(other, &sleeper) else { panic!("no room") };
    room.send(2);
    assert_eq!((receiver.try_recv(), sender.room_left()), (Some(2), 1));
}

/// Holds an end of the queue that it waits for, as a task does.
struct HoldsAnEnd {
    _end: QuietSender<u8>,
}

impl Wake for HoldsAnEnd {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_sleeper_that_ends_by_being_woken_may_hold_an_end_of_the_queue() {
    let (sender, mut receiver) = quiet_queue(1);
    let waker = Waker::from(Arc::new(HoldsAnEnd { _end: sender.clone() }));
    let waits = receiver.poll_recv(&Context::from_waker(&waker));
    assert!(waits.is_pending());
    drop(waker);
    sender.try_send(1).unwrap();
    assert_eq!(receiver.try_recv(), Some(1));
    let waker = Waker::from(Arc::new(HoldsAnEnd { _end: sender.clone() }));
    assert!(receiver.poll_recv(&Context::from_waker(&waker)).is_pending());
    drop(waker);
    assert!(receiver.poll_recv(&Context::from_waker(Waker::noop())).is_pending(), "replaced");
    drop(receiver);
    assert_eq!(sender.try_send(2), Err(2));
}

#[test]
fn two_threads_lose_nothing() {
    const ALL: u32 = 20_000;
    let (sender, mut receiver) = quiet_queue(3);
    let writer = std::thread::spawn(move || {
        for one in 0..ALL {
            assert!(block_on(sender.send(one)));
        }
    });
    for one in 0..ALL {
        assert_eq!(block_on(receiver.recv()), Some(one));
    }
    writer.join().unwrap();
    assert_eq!(block_on(receiver.recv()), None);
}

struct ThisThread(std::thread::Thread);

impl Wake for ThisThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(ThisThread(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::park(),
        }
    }
}
