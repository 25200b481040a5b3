//! The file keeps what it is given, for its owner alone, and is refused where it is not.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use super::*;

const CANARY: &str = "canary-of-the-secrets-file";

fn name(text: &str) -> SecretName {
    SecretName::parse(text).unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

fn kept() -> (TempDir, SecretsFile) {
    let folder = tempfile::tempdir().unwrap();
    let file = SecretsFile::of_state_folder(&folder.path().join("toolgate"));
    assert!(!file.set(&name("API"), secret(CANARY), 17).unwrap());
    (folder, file)
}

fn values(file: &SecretsFile) -> Vec<(String, String)> {
    let read = file.read().unwrap();
    read.iter().map(|(name, value)| (name.to_string(), value.expose().to_owned())).collect()
}

fn refusal(file: &SecretsFile) -> SecretsFailure {
    let refused = file.read().unwrap_err();
    // Nothing is written over what is refused.
    let before = fs::symlink_metadata(file.path()).unwrap().ino();
    assert_eq!(file.set(&name("OTHER"), secret("x"), 18).unwrap_err(), refused);
    assert_eq!(fs::symlink_metadata(file.path()).unwrap().ino(), before);
    refused
}

#[test]
fn what_is_set_is_read_and_what_is_removed_is_not() {
    let (_folder, file) = kept();
    assert!(!file.set(&name("B"), secret("b \u{1f511} \"\n"), 18).unwrap());
    assert!(file.set(&name("API"), secret("other"), 19).unwrap());
    assert_eq!(
        values(&file),
        [("API".into(), "other".into()), ("B".into(), "b \u{1f511} \"\n".into())]
    );
    assert_eq!(file.list().unwrap()[&name("API")].set_at, 19);
    assert!(file.remove(&name("B")).unwrap());
    assert!(!file.remove(&name("B")).unwrap());
    assert_eq!(values(&file).len(), 1);
}

#[test]
fn the_file_and_its_folder_are_for_their_owner_alone() {
    let (_folder, file) = kept();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&file.path()), 0o600);
    assert_eq!(mode(file.path().parent().unwrap()), 0o700);
    let names: Vec<_> = fs::read_dir(file.path().parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(!names.iter().any(|name| name == "secrets.json.new"), "{names:?}");
}

#[test]
fn none_are_kept_where_there_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(SecretsFile::of_state_folder(folder.path()).read().unwrap().is_empty());
}

#[test]
fn a_file_that_others_can_read_is_refused_with_what_to_do() {
    let (_folder, file) = kept();
    for mode in [0o644, 0o640, 0o660, 0o602, 0o700] {
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        let refused = refusal(&file);
        assert!(refused.why.contains(&format!("mode {mode:03o}")), "{refused}");
        assert!(refused.hint.contains("chmod 600"), "{}", refused.hint);
        assert!(!format!("{refused:?}").contains(CANARY));
    }
}

#[test]
fn a_link_in_its_place_is_refused_wherever_it_leads() {
    let (folder, file) = kept();
    let elsewhere = folder.path().join("elsewhere.json");
    fs::rename(file.path(), &elsewhere).unwrap();
    symlink(&elsewhere, file.path()).unwrap();
    assert!(refusal(&file).why.ends_with("is a link"));
    assert_eq!(fs::read_to_string(&elsewhere).unwrap().matches(CANARY).count(), 1);
}

#[test]
fn a_folder_that_others_can_write_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let file = SecretsFile::of_state_folder(folder.path());
    assert!(file.set(&name("API"), secret(CANARY), 1).is_err());
    assert!(!file.path().exists());
}

#[test]
fn nonsense_is_refused_and_nothing_of_it_is_told() {
    let (_folder, file) = kept();
    let newer = format!(r#"{{"version":2,"keys":"{CANARY}"}}"#);
    let odd = format!(r#"{{"version":1,"secrets":{{"../{CANARY}":{{"value":"x","set_at":1}}}}}}"#);
    let wrong = format!(r#"{{"version":1,"secrets":"{CANARY}"}}"#);
    for text in [CANARY, "", &newer, &odd, &wrong] {
        fs::write(file.path(), text).unwrap();
        let refused = refusal(&file);
        assert!(!format!("{refused:?}").contains(CANARY), "{refused:?}");
    }
}

#[test]
fn two_that_set_at_once_lose_nothing() {
    let (_folder, file) = kept();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let file = &file;
            scope.spawn(move || file.set(&name(&format!("N{number}")), secret("x"), 1).unwrap());
        }
    });
    assert_eq!(values(&file).len(), 9);
}

/// Only root can make such a file; everybody else has nothing to try here.
#[test]
fn a_file_of_somebody_else_is_refused() {
    let (_folder, file) = kept();
    if std::os::unix::fs::chown(file.path(), Some(54_321), None).is_err() {
        return;
    }
    let refused = file.read().unwrap_err();
    assert!(refused.why.contains("belongs to user 54321"), "{refused}");
    assert!(file.set(&name("OTHER"), secret("x"), 18).is_err());
}
