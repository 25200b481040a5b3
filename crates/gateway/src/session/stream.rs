//! Streams of events that a client can pick up again where it lost them.

use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::http::event_body::{EventBody, StreamEvent};
use crate::reply_message::{LineMessage, ReplyMessage};
use crate::written_event::event;

/// How much of a stream is kept for those who come back.
const KEPT_EVENTS: usize = 64;
const KEPT_BYTES: usize = 1024 * 1024;

/// How many events may lie unread before a reader is taken for gone. It can come back.
const UNREAD: usize = 256;
/// How many of those whoever speaks does not wait for.
const AHEAD: usize = 32;
/// How long a reader may take for some of them before it is not waited for.
const READING: Duration = Duration::from_secs(60);

/// How many streams of answers a session keeps.
const KEPT_STREAMS: usize = 8;

/// The streams of one session: the general one, and those of requests.
#[derive(Default)]
pub(crate) struct SessionStreams {
    all: Mutex<AllStreams>,
    /// The one stream that a connection without HTTP has; then nobody opens another.
    line: Option<mpsc::WeakSender<LineMessage>>,
}

struct AllStreams {
    general: Arc<EventStream>,
    answers: VecDeque<Arc<EventStream>>,
    next: u64,
}

impl Default for AllStreams {
    fn default() -> Self {
        Self { general: Arc::new(EventStream::new(0)), answers: VecDeque::new(), next: 1 }
    }
}

/// One stream. Its events are numbered, and the last ones kept.
pub(crate) struct EventStream {
    number: u64,
    state: Mutex<StreamState>,
}

#[derive(Default)]
struct StreamState {
    next: u64,
    kept: VecDeque<(u64, StreamEvent)>,
    kept_bytes: usize,
    /// The first event that no reader was given yet.
    ungiven: u64,
    reader: Option<mpsc::Sender<StreamEvent>>,
    is_done: bool,
}

impl SessionStreams {
    /// Of a session that lasts as long as its connection, and is spoken in on that alone.
    pub(crate) fn of_line(queue: &mpsc::Sender<LineMessage>) -> Self {
        Self { all: Mutex::default(), line: Some(queue.downgrade()) }
    }

    pub(crate) fn is_line(&self) -> bool {
        self.line.is_some()
    }

    /// Says what nobody asked for; a client that does not read misses it.
    pub(crate) fn tell(&self, message: Vec<u8>) {
        match &self.line {
            Some(line) => drop(line.upgrade().map(|queue| queue.try_send(message.into()))),
            None => self.general().push(&message),
        }
    }

    pub(crate) fn general(&self) -> Arc<EventStream> {
        Arc::clone(&lock(&self.all).general)
    }

    /// A new stream for the answer to one request.
    pub(crate) fn open(&self) -> Arc<EventStream> {
        let mut all = lock(&self.all);
        let stream = Arc::new(EventStream::new(all.next));
        all.next += 1;
        if all.answers.len() >= KEPT_STREAMS {
            // A finished one, or else the oldest; whoever reads it now goes on reading.
            let done = all.answers.iter().position(|stream| lock(&stream.state).is_done);
            let _ = all.answers.remove(done.unwrap_or(0));
        }
        all.answers.push_back(Arc::clone(&stream));
        stream
    }

    /// The stream that an event id is of, and the number of the event.
    pub(crate) fn find(&self, event_id: &str) -> Option<(Arc<EventStream>, u64)> {
        let (stream, event) = event_id.split_once('-')?;
        let (stream, event): (u64, u64) = (stream.parse().ok()?, event.parse().ok()?);
        let all = lock(&self.all);
        let found = match stream {
            0 => Some(&all.general),
            _ => all.answers.iter().find(|one| one.number == stream),
        };
        found.map(|stream| (Arc::clone(stream), event))
    }

    /// Whether somebody reads one of them.
    pub(crate) fn are_read(&self) -> bool {
        let all = lock(&self.all);
        self.is_line() || all.answers.iter().chain([&all.general]).any(|stream| stream.is_read())
    }

    pub(crate) fn end_general(&self) {
        self.general().end_reading();
    }
}

impl EventStream {
    fn new(number: u64) -> Self {
        Self { number, state: Mutex::default() }
    }

    /// Sends a message to whoever reads, and keeps it for whoever comes back.
    pub(crate) fn push(&self, message: &[u8]) {
        self.push_as(|id| event(message, Some(id)).into());
    }

    /// The same of the answer that ends it.
    pub(crate) fn push_answer(&self, answer: ReplyMessage) {
        self.push_as(|id| answer.event(Some(id)));
    }

    fn push_as(&self, event: impl FnOnce(&str) -> StreamEvent) {
        let mut state = lock(&self.state);
        let number = state.next;
        let event = event(&format!("{}-{number}", self.number));
        state.next += 1;
        state.kept_bytes += event.held_bytes();
        state.kept.push_back((number, event.clone()));
        while state.kept.len() > KEPT_EVENTS
            || (state.kept_bytes > KEPT_BYTES && state.kept.len() > 1)
        {
            if let Some((_, old)) = state.kept.pop_front() {
                state.kept_bytes = state.kept_bytes.saturating_sub(old.held_bytes());
            }
        }
        // One that does not read, or is gone: it finds what it missed when it comes back.
        match state.reader.as_ref().map(|reader| reader.try_send(event)) {
            Some(Ok(())) => state.ungiven = state.next,
            Some(Err(_)) => state.reader = None,
            None => {}
        }
    }

    /// Waits while much of it lies unread, as long as somebody seems to read it.
    pub(crate) async fn is_read_on(&self) {
        let reader = lock(&self.state).reader.clone();
        let Some(reader) = reader else { return };
        let room = reader.max_capacity().saturating_sub(AHEAD).max(1);
        if reader.capacity() < room {
            let _ = timeout(READING, reader.reserve_many(room)).await;
        }
    }

    /// An event without a message, so that the client knows where it is.
    pub(crate) fn prime(&self) {
        self.push(b"");
    }

    /// The last message was sent.
    pub(crate) fn finish(&self) {
        let mut state = lock(&self.state);
        state.is_done = true;
        state.reader = None;
    }

    /// Reads on after this event, or whatever nobody was given yet; whoever read before reads no
    /// longer.
    pub(crate) fn read(&self, after: Option<u64>) -> EventBody {
        let mut state = lock(&self.state);
        let from = after.map_or(state.ungiven, |after| after.saturating_add(1));
        let (sender, receiver) = mpsc::channel(UNREAD.max(state.kept.len() + 1));
        for (number, event) in &state.kept {
            if *number >= from {
                let _ = sender.try_send(event.clone());
            }
        }
        state.ungiven = state.next;
        if !state.is_done {
            state.reader = Some(sender);
        }
        EventBody::new(receiver)
    }

    fn end_reading(&self) {
        lock(&self.state).reader = None;
    }

    fn is_read(&self) -> bool {
        lock(&self.state).reader.as_ref().is_some_and(|reader| !reader.is_closed())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(events: &mut EventBody) -> Vec<String> {
        let mut all = Vec::new();
        while let Ok(StreamEvent::Short(bytes)) = events.events.try_recv() {
            all.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        all
    }

    #[test]
    fn who_comes_back_gets_what_was_missed_and_then_what_comes() {
        let streams = SessionStreams::default();
        let stream = streams.open();
        let reader = stream.read(None);
        stream.push(b"one");
        drop(reader);
        stream.push(b"two");
        stream.push(b"three");
        let (found, after) = streams.find("1-0").unwrap();
        let mut again = found.read(Some(after));
        stream.push(b"four");
        let texts = texts(&mut again);
        assert_eq!(texts.len(), 3, "{texts:?}");
        assert!(texts[0].contains("id: 1-1\ndata: two") && texts[2].contains("four"), "{texts:?}");
    }

    #[test]
    fn a_reader_that_does_not_read_is_let_go_and_little_is_kept() {
        let stream = EventStream::new(3);
        let reader = stream.read(None);
        for _ in 0..UNREAD + 10 {
            stream.push(b"x");
        }
        assert!(!stream.is_read(), "it is taken for gone");
        assert_eq!(lock(&stream.state).kept.len(), KEPT_EVENTS);
        drop(reader);
    }

    #[test]
    fn what_is_finished_is_read_to_its_end_only() {
        let stream = EventStream::new(1);
        stream.push(b"answer");
        stream.finish();
        let mut events = stream.read(None);
        assert_eq!(texts(&mut events).len(), 1);
        assert!(events.events.is_closed() || events.events.try_recv().is_err());
    }

    #[test]
    fn ids_that_mean_nothing_find_nothing() {
        let streams = SessionStreams::default();
        for odd in ["", "1", "1-", "-1", "9-1", "a-b", "0-x"] {
            assert!(streams.find(odd).is_none(), "{odd}");
        }
        assert!(streams.find("0-5").is_some());
    }
}
