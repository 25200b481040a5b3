//! Files are written whole, in one step, and only where that is allowed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::session::Ground;

#[tokio::test]
async fn a_file_is_made_replaced_and_edited_with_a_diff_back() {
    let ground = Ground::new();
    let mut session = ground.session();
    let made =
        session.done("write_file", json!({ "path": "new/deep/f.txt", "content": "a\nb\n" })).await;
    assert_eq!(
        (&made["created"], &made["size"], &made["added"]),
        (&json!(true), &json!(4), &json!(2))
    );
    assert_eq!(made["diff"], "@@ -0,0 +1,2 @@\n+a\n+b\n");
    let file = ground.root().join("new/deep/f.txt");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();

    let again = json!({ "path": "new/deep/f.txt", "content": "x" });
    let said = session.refused("write_file", again).await;
    assert!(said.contains("is there already: set `overwrite`"), "{said}");

    let edit = json!({ "path": "new/deep/f.txt", "old_text": "b\n", "new_text": "c\n" });
    let edited = session.done("edit_file", edit).await;
    assert_eq!(edited["diff"], "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\nc\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);

    let over = json!({ "path": "new/deep/f.txt", "content": "z\n", "overwrite": true });
    let over = session.done("write_file", over).await;
    assert_eq!((&over["created"], &over["removed"]), (&json!(false), &json!(2)));
    let names: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing is left beside it: {names:?}");
}

#[tokio::test]
async fn an_edit_is_exact_or_it_is_none() {
    let text = "one\ntwo\ntwo\n";
    let ground = Ground::with(&[("f", text), ("crlf", "a\r\nb\r\n"), ("empty", "")]);
    ground.write("latin", b"caf\xe9\n").write("frozen", text);
    let frozen = ground.root().join("frozen");
    fs::set_permissions(&frozen, fs::Permissions::from_mode(0o444)).unwrap();
    let mut session = ground.session();
    for (path, old, new, expected) in [
        ("f", "two", "2", "stands there 2 times"),
        ("f", "three", "3", "does not stand there"),
        ("f", "", "3", "`old_text` is empty"),
        ("f", "one", "one", "are the same"),
        ("f", "one\r\ntwo", "x", "end with \\n alone"),
        ("crlf", "a\nb", "x", "end with \\r\\n"),
        ("latin", "caf", "x", "not UTF-8"),
        ("frozen", "one", "x", "for reading only"),
        ("absent", "one", "x", "does not exist"),
        (".", "one", "x", "names a folder"),
    ] {
        let edit = json!({ "path": path, "old_text": old, "new_text": new });
        let said = session.refused("edit_file", edit).await;
        assert!(said.contains(expected), "{path} {old:?}: {said}");
    }
    assert_eq!(fs::read_to_string(ground.root().join("f")).unwrap(), text);
    let edit = json!({ "path": "f", "old_text": "two", "new_text": "2", "replace_all": true });
    session.done("edit_file", edit).await;
    assert_eq!(fs::read_to_string(ground.root().join("f")).unwrap(), "one\n2\n2\n");
    let edit = json!({ "path": "crlf", "old_text": "a\r\n", "new_text": "A\r\n" });
    session.done("edit_file", edit).await;
    assert_eq!(fs::read_to_string(ground.root().join("crlf")).unwrap(), "A\r\nb\r\n");
}

#[tokio::test]
async fn what_walls_keep_read_only_and_what_holds_secrets_is_never_written() {
    let ground = Ground::repository();
    ground.write("a.txt", "a").write(".vscode/settings.json", "{}").write(".env", "T=1");
    let before = fs::read(ground.root().join(".git/config")).unwrap();
    let mut session = ground.session();
    let mut names: Vec<String> =
        toolgate_types::PROTECTED_NAMES.iter().map(|name| (*name).to_owned()).collect();
    for name in toolgate_types::PROTECTED_NAMES {
        names.extend([format!("{name}/inner"), format!("pkg/{name}"), name.to_uppercase()]);
    }
    names.extend(
        [
            ".cargo/config",
            ".cargo/config.toml",
            ".git/hooks/pre-commit",
            ".git/config",
            ".env",
            ".npmrc",
            "id_rsa",
            "certs/x.pem",
            ".ssh/authorized_keys",
            "x/../.git/config",
            "./.vscode/tasks.json",
            ".Claude/settings.json",
            ".vsco\u{200c}de/tasks.json",
            ".git/../a.txt",
        ]
        .map(str::to_owned),
    );
    for path in names {
        let write = json!({ "path": path, "content": "x", "overwrite": true });
        let said = session.refused("write_file", write).await;
        assert!(said.contains("refused by rule"), "{path}: {said}");
        let edit = json!({ "path": path, "old_text": "{}", "new_text": "x" });
        let said = session.refused("edit_file", edit).await;
        assert!(said.contains("refused by rule"), "{path}: {said}");
    }
    assert_eq!(fs::read(ground.root().join(".git/config")).unwrap(), before);
    assert!(!ground.root().join("pkg").exists() && !ground.root().join("certs").exists());
}

#[tokio::test]
async fn nothing_is_written_through_a_link() {
    let ground = Ground::with(&[("real/f", "old"), ("f", "old")]);
    ground.link("folder", "real").link("file", "f").link("dangling", "nowhere").link("away", "..");
    let mut session = ground.session();
    for path in ["folder/f", "file", "dangling", "away/x", "folder/new"] {
        let write = json!({ "path": path, "content": "new", "overwrite": true });
        let said = session.refused("write_file", write).await;
        assert!(said.contains("links are not written through"), "{path}: {said}");
    }
    assert_eq!(fs::read_to_string(ground.root().join("real/f")).unwrap(), "old");
    assert_eq!(fs::read_to_string(ground.root().join("f")).unwrap(), "old");
    assert!(!ground.root().join("nowhere").exists() && !ground.beside("x").exists());
}
