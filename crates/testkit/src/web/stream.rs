//! Streams of events that are kept, so that they can be picked up where they broke.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::{mpsc, watch};

use super::body::Content;
use crate::peer::{Output, Piece, joined};

/// All streams of a site; the first is for what nobody asked for.
#[derive(Debug)]
pub(super) struct Streams {
    all: Mutex<Vec<Stream>>,
    hung_up: watch::Sender<usize>,
}

impl Default for Streams {
    fn default() -> Self {
        Self { all: Mutex::new(vec![Stream::new(0)]), hung_up: watch::Sender::default() }
    }
}

/// One stream.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    number: usize,
    log: Arc<watch::Sender<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    items: Vec<Item>,
    is_done: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Event(String),
    /// Ends one response. Only the first reader meets it.
    Cut,
}

impl Streams {
    pub(super) fn general(&self) -> Stream {
        self.all.lock().unwrap()[0].clone()
    }

    pub(super) fn open(&self) -> Stream {
        let mut all = self.all.lock().unwrap();
        let stream = Stream::new(all.len());
        all.push(stream.clone());
        stream
    }

    /// The stream and the place that an event id names.
    pub(super) fn find(&self, id: &str) -> Option<(Stream, usize)> {
        let (number, place) = id.split_once('-')?;
        let stream = self.all.lock().unwrap().get(number.parse::<usize>().ok()?)?.clone();
        Some((stream, place.parse::<usize>().ok()? + 1))
    }

    pub(super) async fn hung_up(&self) {
        let _ = self.hung_up.subscribe().wait_for(|count| *count > 0).await;
    }

    /// A response that follows a stream from a place on.
    pub(super) fn follow(&self, stream: &Stream, from: usize, preamble: String) -> Content {
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(copy(stream.clone(), from, preamble, sender, self.hung_up.clone()));
        Content::Streamed(receiver)
    }
}

impl Stream {
    fn new(number: usize) -> Self {
        Self { number, log: Arc::default() }
    }

    pub(super) fn event(&self, data: &str) {
        self.log.send_modify(|log| log.items.push(Item::Event(data.to_owned())));
    }

    pub(super) fn finish(&self) {
        self.log.send_modify(|log| log.is_done = true);
    }
}

#[async_trait]
impl Output for Stream {
    async fn write(&self, message: &[Piece]) {
        self.event(&joined(message));
    }

    fn cut(&self) {
        self.log.send_modify(|log| log.items.push(Item::Cut));
    }
}

async fn copy(
    stream: Stream,
    from: usize,
    preamble: String,
    sender: mpsc::Sender<Bytes>,
    hung_up: watch::Sender<usize>,
) {
    if !preamble.is_empty() && sender.send(preamble.into()).await.is_err() {
        return;
    }
    let mut log = stream.log.subscribe();
    let mut place = from;
    loop {
        let next = async {
            let log = log.wait_for(|log| log.is_done || log.items.len() > place).await.unwrap();
            log.items.get(place).cloned()
        };
        let next = tokio::select! {
            next = next => next,
            () = sender.closed() => {
                hung_up.send_modify(|count| *count += 1);
                return;
            }
        };
        match next {
            Some(Item::Event(data)) => {
                let id = format!("{}-{place}", stream.number);
                let event = format!("id: {id}\nretry: 50\ndata: {data}\n\n");
                if sender.send(event.into()).await.is_err() {
                    return;
                }
                place += 1;
            }
            Some(Item::Cut) => {
                stream.log.send_modify(|log| drop(log.items.remove(place)));
                return;
            }
            None => return,
        }
    }
}
