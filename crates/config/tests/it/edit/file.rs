//! Files are whole at every moment, keep what they are, and leave nothing beside them.

mod refused;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;
use toolgate_config::edit::TextEditor;
use toolgate_config::edit::file::{BackupChoice, EditedFile, FileError, dry_run, edit_file};
use toolgate_config::tree::ConfigFormat;

type Failure = Box<dyn Error + Send + Sync>;

/// A folder with a project in it and locks beside the project.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        fs::create_dir(place.file("")).unwrap();
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("project").join(name)
    }

    fn locks(&self) -> PathBuf {
        self.0.path().join("locks")
    }

    /// Writes a file with a mode.
    fn with(&self, name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn edit(&self, path: &Path, new: &str) -> Result<EditedFile, FileError> {
        edit_file(path, &self.locks(), BackupChoice::None, |_| Ok(new.to_owned()))
    }

    /// Every file of the project with its content.
    fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.file("")).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| (path.clone(), fs::read(path).unwrap_or_default())).collect()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_changed_file_keeps_its_mode_and_nothing_is_left_beside_it() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o640);
    let edited = place.edit(&path, "new").unwrap();
    assert_eq!((edited.before.as_str(), edited.after.as_str()), ("old", "new"));
    assert_eq!((edited.path, edited.created, edited.backup), (path.clone(), false, None));
    assert_eq!(place.content(), BTreeMap::from([(path.clone(), b"new".to_vec())]));
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn a_new_file_is_private_and_its_folders_are_made() {
    let place = Place::new();
    let path = place.file("a/../b/c.toml");
    let edited = place.edit(&path, "new").unwrap();
    assert_eq!((edited.path.clone(), edited.created), (place.file("b/c.toml"), true));
    assert_eq!(fs::read(&edited.path).unwrap(), b"new");
    assert_eq!(mode(&edited.path), 0o600);
    assert!(!place.file("a").exists());
}

#[test]
fn a_link_stays_a_link_and_its_target_is_edited() {
    let place = Place::new();
    let target = place.with("real.toml", b"old", 0o600);
    let link = place.file("link.toml");
    symlink("real.toml", &link).unwrap();
    assert_eq!(place.edit(&link, "new").unwrap().path, target);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("real.toml"));
    assert_eq!(fs::read(&target).unwrap(), b"new");
}

#[test]
fn an_unchanged_text_is_not_written() {
    let place = Place::new();
    let path = place.with("c.toml", b"same", 0o444);
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert!(!place.edit(&path, "same").unwrap().is_changed());
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    let missing = place.edit(&place.file("x/none.toml"), "").unwrap();
    assert!(!missing.created && !place.file("x").exists());
}

#[test]
fn a_backup_holds_the_old_bytes() {
    let place = Place::new();
    let path = place.with("c.json", "\u{feff}{}\r\n".as_bytes(), 0o640);
    let backup = place.with("c.json.toolgate-backup", b"older", 0o600);
    let edit = |new: &str| {
        edit_file(&path, &place.locks(), BackupChoice::Beside, |_| {
            Ok::<_, FileError>(new.to_owned())
        })
    };
    assert_eq!(edit("new").unwrap().backup, Some(backup.clone()));
    assert_eq!(fs::read(&backup).unwrap(), "\u{feff}{}\r\n".as_bytes());
    assert_eq!(mode(&backup), 0o640);
    assert_eq!(edit("new").unwrap().backup, None, "nothing changed");
    assert_eq!(place.content().len(), 2);
}

#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let place = Place::new();
    let path = place.with("c.toml", b"old", 0o600);
    let (before, new) = (place.content(), |_: &str| Ok::<_, FileError>("new".to_owned()));
    let dry = dry_run(&path, new).unwrap();
    assert!(dry_run(&place.file("x/y.toml"), new).unwrap().created);
    assert_eq!((place.content(), place.locks().exists()), (before, false));
    assert_eq!(dry, place.edit(&path, "new").unwrap());
    assert!(!format!("{dry:?}").contains("old"), "texts may hold secrets");
}

#[test]
fn edits_at_once_lose_none() {
    let place = Place::new();
    let (path, locks) = (place.file("new/c.toml"), place.locks());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (path, locks) = (&path, &locks);
            scope.spawn(move || {
                for edit in 0..10 {
                    let id = format!("t{thread}e{edit}");
                    let change = |text: &str| -> Result<String, Failure> {
                        let mut editor = TextEditor::open(ConfigFormat::Toml, text)?;
                        editor.set(&["servers", &id], &json!({ "command": id }))?;
                        Ok(editor.finish())
                    };
                    edit_file(path, locks, BackupChoice::None, change).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("[servers.").count(), 80, "{text}");
    assert_eq!(fs::read_dir(place.file("new")).unwrap().count(), 1);
}
