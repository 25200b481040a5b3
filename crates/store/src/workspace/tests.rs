//! Names of folders: readable, plain, and not to be guessed.

use super::*;

fn named(path: &str) -> WorkspaceId {
    WorkspaceId::random(&ProjectRoot::recorded(path.as_bytes())).unwrap()
}

#[test]
fn a_name_begins_with_the_folder_and_reads_back() {
    for (path, slug) in [
        ("/home/me/Shop App", "shop-app"),
        ("/home/me/..hidden__x", "hidden-x"),
        ("/", "folder"),
        ("/home/é", "folder"),
        ("/home/abcdefghijklmnopqrstuvw-xyz", "abcdefghijklmnopqrstuvw"),
        ("/home/abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"),
    ] {
        let id = named(path);
        let (begin, random) = id.as_str().rsplit_once('-').unwrap();
        assert_eq!((begin, random.len()), (slug, 16), "{path}");
        assert_eq!(WorkspaceId::parse(id.as_str()), Some(id));
    }
}

#[test]
fn the_same_folder_asked_twice_would_get_two_names() {
    assert_ne!(named("/a"), named("/a"));
}

#[test]
fn what_is_no_name_is_none() {
    for text in ["", "A", "a/b", "..", "a b", "é", &"a".repeat(42)] {
        assert_eq!(WorkspaceId::parse(text), None, "{text}");
    }
}
