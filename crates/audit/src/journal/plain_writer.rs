//! The thread that writes the plain file: no call waits for it. What was handed to it is written in that order,
//! and all of it before whoever has it is gone.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use toolgate_store::{AuditEntry, AuditKind, WrittenEntry};
use tracing::warn;

use super::plain_file::PlainFile;

/// How many calls are written at once.
const BATCH: usize = 256;

/// From the first finished call on there is a thread for it.
pub(super) struct PlainWriter {
    path: PathBuf,
    started: Mutex<Option<StartedWriter>>,
}

struct StartedWriter {
    /// Nothing only while this ends.
    jobs: Option<Sender<PlainJob>>,
    thread: Option<JoinHandle<()>>,
}

enum PlainJob {
    Line(Box<AuditEntry>),
    /// Answers once everything before it is written.
    Settle(oneshot::Sender<()>),
}

impl PlainWriter {
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path, started: Mutex::new(None) }
    }

    /// Those of them that are ends of calls.
    pub(super) fn add(&self, rows: &[WrittenEntry<'_>]) {
        let mut ends = rows.iter().filter(|row| row.kind == AuditKind::End).peekable();
        if ends.peek().is_none() {
            return;
        }
        let mut started = self.started.lock();
        if started.is_none() {
            match StartedWriter::start(self.path.clone()) {
                Ok(writer) => *started = Some(writer),
                Err(error) => warn!(%error, "finished calls are not in the plain file"),
            }
        }
        if let Some(jobs) = started.as_ref().and_then(|writer| writer.jobs.as_ref()) {
            for row in ends {
                let _the_thread_panicked = jobs.send(PlainJob::Line(Box::new(row.to_entry())));
            }
        }
    }

    /// Until everything before is written.
    pub(super) async fn settle(&self) {
        let (done, is_done) = oneshot::channel();
        let asked = match &*self.started.lock() {
            Some(StartedWriter { jobs: Some(jobs), .. }) => {
                jobs.send(PlainJob::Settle(done)).is_ok()
            }
            _ => false,
        };
        if asked {
            let _the_thread_panicked = is_done.await;
        }
    }
}

impl StartedWriter {
    fn start(path: PathBuf) -> std::io::Result<Self> {
        let (jobs, waiting) = channel();
        let work = move || write(&waiting, &mut PlainFile::at(path));
        let thread = thread::Builder::new().name("toolgate-plain".into()).spawn(work)?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }
}

impl Drop for StartedWriter {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _panicked_and_was_reported = thread.join();
        }
    }
}

/// Until nobody hands over any more, and all is written.
fn write(jobs: &Receiver<PlainJob>, file: &mut PlainFile) {
    let mut rows = Vec::new();
    while let Ok(first) = jobs.recv() {
        let mut next = Some(first);
        while let Some(job) = next {
            match job {
                PlainJob::Line(row) => rows.push(*row),
                PlainJob::Settle(done) => {
                    file.add(&rows);
                    rows.clear();
                    let _nobody_waits = done.send(());
                }
            }
            next = if rows.len() < BATCH { jobs.try_recv().ok() } else { None };
        }
        file.add(&rows);
        rows.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain_file::tests::row;
    use super::*;

    /// Shows: P11-11.
    #[tokio::test]
    async fn finished_calls_are_there_in_their_order_when_it_settles_and_when_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let written = || {
            let text = std::fs::read_to_string(&path).unwrap();
            let call = |line: &str| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["correlationId"].as_str().unwrap().to_owned()
            };
            text.lines().map(call).collect::<Vec<_>>()
        };
        let names: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
        let writer = PlainWriter::of(path.clone());
        // Nobody began: nothing to wait for.
        writer.settle().await;
        for name in &names[..1_000] {
            let rows = [row(AuditKind::Open, name), row(AuditKind::End, name)];
            writer.add(&rows.each_ref().map(WrittenEntry::from));
        }
        writer.settle().await;
        assert_eq!(written(), names[..1_000]);
        for name in &names[1_000..] {
            writer.add(&[WrittenEntry::from(&row(AuditKind::End, name))]);
        }
        drop(writer);
        assert_eq!(written(), names);
    }
}
