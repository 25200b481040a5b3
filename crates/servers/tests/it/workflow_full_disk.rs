//! Plans, notes and kept results on a disk that has no room: a real one, in memory. Only root may mount it; for
//! anybody else this test says loudly that it did nothing.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use toolgate_store::{ArtifactStore as _, KeptFor, NewArtifact, SqliteStore, StoreError};

use crate::workflow::Desk;

/// A small disk, gone at the end.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let place = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m,mode=700", "toolgate-test"])
            .arg(place.path())
            .output();
        if mounted.is_ok_and(|mount| mount.status.success()) {
            return Some(Self(place));
        }
        let skipped = "SKIPPED: no disk of its own can be mounted here; nothing was tested\n";
        io::stderr().write_all(skipped.as_bytes()).unwrap();
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _already_gone = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// Takes what room there is; removing the file makes room again.
fn fill(ballast: &Path) {
    let mut file = File::create(ballast).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    while file.write_all(&[0]).is_ok() {}
}

fn result(bytes: &[u8]) -> NewArtifact {
    NewArtifact {
        owner: KeptFor::new("ada", "/a"),
        mime: "text/plain".to_owned(),
        bytes: bytes.to_owned(),
        created_at: 1,
        server: None,
        tool: None,
        correlation: "c".to_owned(),
    }
}

#[tokio::test]
async fn on_a_full_disk_nothing_is_lost_it_is_said_and_it_goes_on_by_itself() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = Arc::new(SqliteStore::open(&disk.0.path().join("state")).unwrap());
    let desk = Desk::with("/a", &store);
    let steps = vec![json!({ "text": "x".repeat(400) }); 20];
    let plan = |goal: &str| json!({ "goal": goal, "steps": steps });
    desk.call("ada", "plan_set", plan("first")).await.unwrap();
    desk.call("ada", "note_add", json!({ "text": "a note" })).await.unwrap();
    let artifact = store.keep_artifact(result(b"one line\n")).await.unwrap();
    let ballast = disk.0.path().join("ballast");
    fill(&ballast);
    // What SQLite has room for already may still take some.
    let mut notes = 1;
    let note = json!({ "text": "y".repeat(4_000) });
    let refused = loop {
        match desk.call("ada", "note_add", note.clone()).await {
            Ok(_) => notes += 1,
            Err(refused) => break refused,
        }
    };
    assert!(refused.contains("the disk is full: nothing was written"), "{refused}");
    let refused = desk.call("ada", "plan_set", plan("second")).await.unwrap_err();
    assert!(refused.contains("the disk is full: nothing was written"), "{refused}");
    let kept = store.keep_artifact(result(&[b'z'; 20_000])).await;
    assert_eq!(kept.unwrap_err(), StoreError::Full);
    // Reading goes on, and everything is as it was.
    let goal = async || desk.call("ada", "plan_get", json!({})).await.unwrap()["goal"].clone();
    let listed = async || {
        let (mut count, mut before) = (0, json!({}));
        loop {
            let listed = desk.call("ada", "notes_list", before).await.unwrap();
            let notes = listed["notes"].as_array().unwrap();
            count += notes.len();
            if listed["more"] != json!(true) {
                return count;
            }
            let numbers = notes.iter().filter_map(|note| note["number"].as_u64());
            before = json!({ "before": numbers.min() });
        }
    };
    let read = async || {
        let artifact = json!({ "artifact": artifact.id.to_string() });
        desk.call("ada", "artifact_read", artifact).await.unwrap()["text"].clone()
    };
    assert_eq!((goal().await, read().await), (json!("first"), json!("one line\n")));
    assert_eq!(listed().await, notes);
    fs::remove_file(ballast).unwrap();
    desk.call("ada", "plan_set", plan("second")).await.unwrap();
    desk.call("ada", "note_add", note).await.unwrap();
    assert_eq!((goal().await, listed().await), (json!("second"), notes + 1));
}
