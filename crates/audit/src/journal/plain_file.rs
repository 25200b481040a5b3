//! A plain file of finished calls, one JSON document a line, for whoever follows a file.
//!
//! It is beside the log and never in place of it: what cannot be written here is told and costs no call. A
//! file that was moved away, as who rotates files does, is begun anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_store::{AuditEntry, AuditKind};
use tracing::warn;

/// How often it is looked whether the file is still the one at its place.
const LOOKING: Duration = Duration::from_secs(1);

pub(super) struct PlainFile {
    path: PathBuf,
    file: Option<File>,
    looked: Option<Instant>,
    /// Told once, until it works again.
    has_failed: bool,
}

/// The names are those of `audit export`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FinishedCall<'a> {
    at_millis: u64,
    correlation_id: &'a str,
    round: u32,
    principal: &'a str,
    client: Option<&'a str>,
    role: Option<&'a str>,
    session: Option<&'a str>,
    workspace: Option<&'a str>,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    outcome: Option<&'a str>,
    code: Option<&'a str>,
    duration_us: Option<u64>,
    body: Option<&'a RawValue>,
}

impl PlainFile {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, file: None, looked: None, has_failed: false }
    }

    /// Those of them that are ends of calls.
    pub(super) fn add(&mut self, rows: &[AuditEntry]) {
        let mut lines = Vec::new();
        for row in rows.iter().filter(|row| row.kind == AuditKind::End) {
            if serde_json::to_writer(&mut lines, &line(row)).is_ok() {
                lines.push(b'\n');
            }
        }
        if lines.is_empty() {
            return;
        }
        let written = self.write(&lines);
        if let Err(error) = &written
            && !self.has_failed
        {
            let path = self.path.display();
            warn!(%error, %path, "finished calls are not in the plain file");
        }
        self.has_failed = written.is_err();
    }

    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.looked.is_none_or(|at| at.elapsed() >= LOOKING) {
            self.looked = Some(Instant::now());
            let there = fs::metadata(&self.path).map(|there| (there.dev(), there.ino())).ok();
            let ours = self.file.as_ref().and_then(|file| file.metadata().ok());
            if there != ours.map(|ours| (ours.dev(), ours.ino())) {
                self.file = None;
            }
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none
                .insert(OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?),
        };
        // One write for all, so that lines of two processes never mix.
        file.write_all(lines)
    }
}

fn line(row: &AuditEntry) -> FinishedCall<'_> {
    FinishedCall {
        at_millis: row.at,
        correlation_id: &row.correlation,
        round: row.round,
        principal: &row.principal,
        client: row.client.as_deref(),
        role: row.role.as_deref(),
        session: row.session.as_deref(),
        workspace: row.workspace.as_deref(),
        server: row.server.as_deref(),
        tool: row.tool.as_deref(),
        outcome: row.outcome.as_deref(),
        code: row.code.as_deref(),
        duration_us: row.duration_us,
        body: serde_json::from_str(&row.body).ok(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn row(kind: AuditKind, call: &str) -> AuditEntry {
        AuditEntry {
            at: 7,
            kind,
            correlation: call.to_owned(),
            round: 0,
            principal: "ada".to_owned(),
            client: None,
            role: None,
            session: None,
            workspace: None,
            server: Some("files".to_owned()),
            tool: Some("read".to_owned()),
            outcome: Some("done".to_owned()),
            code: None,
            duration_us: Some(5),
            body: r#"{"word":"call"}"#.to_owned(),
        }
    }

    /// Shows: P11-11.
    #[test]
    fn finished_calls_are_lines_of_json_and_a_file_that_was_moved_away_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let mut file = PlainFile::at(path.clone());
        file.add(&[row(AuditKind::Open, "a"), row(AuditKind::End, "a"), row(AuditKind::End, "b")]);
        let text = fs::read_to_string(&path).unwrap();
        let calls: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0]["correlationId"], "a");
        assert_eq!(
            (&calls[1]["tool"], &calls[1]["body"]["word"]),
            (&"read".into(), &"call".into())
        );
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::rename(&path, folder.path().join("old")).unwrap();
        file.looked = None;
        file.add(&[row(AuditKind::End, "c")]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), text);
    }

    #[test]
    fn a_place_that_cannot_be_written_costs_nothing_and_works_once_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = PlainFile::at(folder.path().join("later/calls.jsonl"));
        file.add(&[row(AuditKind::End, "a")]);
        assert!(file.has_failed);
        fs::create_dir(folder.path().join("later")).unwrap();
        file.add(&[row(AuditKind::End, "b")]);
        assert!(!file.has_failed);
        assert!(
            fs::read_to_string(folder.path().join("later/calls.jsonl")).unwrap().contains("\"b\"")
        );
    }
}
