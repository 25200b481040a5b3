//! The first token: there after the first start, the same at every later one, and never two.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use toolgate_auth::callers::{ClientTokens, TokenError, TokenRefusal};

use crate::{NOW, folder, name, new, process, verified, wait};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A start of the gate; answers the token it has from then on.
fn start(state: &Path, now: u64) -> String {
    let file = state.join("tokens/default");
    wait(process(state).first_token(&file, now)).unwrap().expose().to_owned()
}

#[test]
fn the_first_start_makes_a_token_for_its_owner_alone_and_later_ones_have_the_same() {
    let state = folder();
    let first = start(state.path(), NOW);
    let file = state.path().join("tokens/default");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{first}\n"));
    assert_eq!((mode(&file), mode(&state.path().join("tokens"))), (0o600, 0o700));
    assert!(!state.path().join("tokens/default.new").exists());
    assert_eq!(start(state.path(), NOW + 1), first);
    let tokens = process(state.path());
    assert_eq!(verified(&tokens, &first, NOW), Ok("default".into()));
    assert_eq!(wait(tokens.list()).unwrap().len(), 1);
}

#[test]
fn when_the_file_is_gone_or_holds_no_token_a_new_one_replaces_the_old() {
    let state = folder();
    let file = state.path().join("tokens/default");
    let mut before = start(state.path(), NOW);
    let long = "x".repeat(1_000_000);
    for broken in [None, Some(""), Some("tgt_x"), Some(&*long)] {
        match broken {
            None => fs::remove_file(&file).unwrap(),
            Some(text) => fs::write(&file, text).unwrap(),
        }
        let next = start(state.path(), NOW + 1);
        let tokens = process(state.path());
        let revoked = Err(TokenRefusal::Revoked { name: name("default") });
        assert_eq!(verified(&tokens, &before, NOW + 1), revoked);
        assert_eq!(verified(&tokens, &next, NOW + 1), Ok("default".into()));
        assert_eq!(mode(&file), 0o600);
        before = next;
    }
}

#[test]
fn a_token_that_was_revoked_is_not_brought_back() {
    let state = folder();
    let first = start(state.path(), NOW);
    let tokens = process(state.path());
    assert!(wait(tokens.revoke(&name("default"), NOW)).unwrap());
    assert_ne!(start(state.path(), NOW), first);
    assert!(verified(&tokens, &first, NOW).is_err());
}

#[test]
fn a_file_that_the_store_does_not_know_or_knows_by_another_name_makes_no_token() {
    let state = folder();
    let planted = start(folder().path(), NOW);
    let tokens = process(state.path());
    let other = wait(tokens.create(new("other"), NOW)).unwrap().0;
    fs::create_dir(state.path().join("tokens")).unwrap();
    fs::set_permissions(state.path().join("tokens"), Permissions::from_mode(0o700)).unwrap();
    for text in [&planted, other.expose()] {
        fs::write(state.path().join("tokens/default"), text).unwrap();
        assert_ne!(start(state.path(), NOW), text);
    }
    assert_eq!(verified(&tokens, &planted, NOW), Err(TokenRefusal::Unknown));
    assert_eq!(verified(&tokens, other.expose(), NOW), Ok("other".into()));
}

#[test]
fn a_file_that_others_could_read_is_closed_to_them() {
    let state = folder();
    let first = start(state.path(), NOW);
    let file = state.path().join("tokens/default");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(start(state.path(), NOW), first);
    assert_eq!(mode(&file), 0o600);
}

/// Many times, since those that start together need not meet.
#[test]
fn of_many_first_starts_at_once_all_have_the_same_token_and_it_counts() {
    for _ in 0..10 {
        let state = folder();
        let file = state.path().join("tokens/default");
        let processes = [(); 4].map(|()| process(state.path()));
        let together = Barrier::new(processes.len());
        let texts: BTreeSet<String> = thread::scope(|scope| {
            let begin = |tokens: &ClientTokens| {
                together.wait();
                wait(tokens.first_token(&file, NOW)).unwrap().expose().to_owned()
            };
            let threads = processes.each_ref().map(|tokens| scope.spawn(move || begin(tokens)));
            threads.map(|thread| thread.join().unwrap()).into()
        });
        assert_eq!(texts.len(), 1);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(verified(&processes[0], text.trim(), NOW), Ok("default".into()));
    }
}

#[test]
fn where_the_file_cannot_be_kept_the_token_before_it_still_counts() {
    let state = folder();
    let first = start(state.path(), NOW);
    let folder = state.path().join("tokens");
    let file = folder.join("default");
    fs::remove_file(&file).unwrap();
    // A folder in the way of the draft: that stops root too, whom modes do not.
    fs::create_dir_all(folder.join("default.new/x")).unwrap();
    let tokens = process(state.path());
    let error = wait(tokens.first_token(&file, NOW)).unwrap_err();
    assert!(matches!(&error, TokenError::File { path, .. } if path.ends_with("default.new")));
    assert!(error.hint().is_some());
    assert_eq!(verified(&tokens, &first, NOW), Ok("default".into()));
}

#[test]
fn a_folder_or_a_file_that_is_not_ours_to_use_is_named() {
    let state = folder();
    let tokens = process(state.path());
    let says = |file: &Path, words: &str| {
        let error = wait(tokens.first_token(file, NOW)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    let open = state.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    says(&open.join("default"), "other users can write it (mode 777)");
    fs::write(state.path().join("file"), "").unwrap();
    says(&state.path().join("file/default"), "cannot keep a token in");
    fs::write(state.path().join("elsewhere"), "").unwrap();
    symlink("elsewhere", state.path().join("link")).unwrap();
    says(&state.path().join("link"), "it is not a regular file");
    assert_eq!(wait(tokens.list()).unwrap(), []);
}
