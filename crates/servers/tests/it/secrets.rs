//! Git's own files and files with secrets are neither read nor listed nor searched.

use serde_json::json;

use crate::session::Ground;

const CANARY: &str = "canary-of-a-secret";

/// Everything that is not served.
const HIDDEN: [&str; 22] = [
    ".git/config",
    ".git/HEAD",
    "vendor/lib/.git/config",
    "worktree/.git",
    ".GIT/config",
    ".env",
    ".env.local",
    "app/.ENV",
    "app/prod.env",
    ".env/inner",
    "certs/server.pem",
    "certs/server.KEY",
    "certs/store.p12",
    "certs/store.pfx",
    "id_rsa",
    "id_rsa.pub",
    ".netrc",
    ".npmrc",
    "credentials.json",
    ".aws/credentials",
    ".ssh/known_hosts",
    ".toolgate/state.db",
];

const SERVED: [&str; 5] =
    [".env.example", ".github/workflows/ci.yml", ".gitignore", "README.md", "src/credentials.rs"];

fn ground() -> Ground {
    let ground = Ground::new();
    // `.env` cannot be a file and a folder at once.
    for path in HIDDEN.iter().filter(|path| **path != ".env/inner") {
        ground.write(path, format!("token = {CANARY}\n"));
    }
    ground.write("other/.env/inner", CANARY);
    for path in SERVED {
        ground.write(path, "# token = yours\n");
    }
    ground
}

#[tokio::test]
async fn git_internals_and_secrets_are_refused_by_rule() {
    let ground = ground();
    let mut session = ground.session();
    for path in HIDDEN {
        let said = session.read_refused(path).await;
        assert!(said.contains("is refused by rule: "), "{path}: {said}");
        let arguments = json!({ "path": path, "pattern": "token" });
        let said = session.refused("search", arguments).await;
        assert!(said.contains("is refused by rule: "), "{path}: {said}");
    }
    for path in SERVED {
        assert_eq!(session.read(path).await["text"], "# token = yours\n");
    }
    let said = session.refused("list_files", json!({ "path": ".git" })).await;
    assert_eq!(said, "`.git` is refused by rule: Git's own files are not served");
}

#[tokio::test]
async fn odd_spellings_of_a_refused_path_are_refused_too() {
    let ground = ground();
    let mut session = ground.session();
    let absolute = ground.root().join(".env");
    for path in [
        absolute.to_str().unwrap(),
        "./.env",
        ".env/",
        ".env/.",
        ".//.env",
        "src/../.env",
        ".git/../.git/config",
        ".git/",
        ".git/hooks/../config",
        ".Git/config",
        ".g\u{200c}it/config",
        ".env\u{200d}",
        "certs//server.pem/",
        "certs/SERVER.pem.",
    ] {
        let said = session.read_refused(path).await;
        // The last is another name on this file system; no rule needs to know that.
        assert!(said.contains("refused by rule") || said.contains("not exist"), "{path}: {said}");
        assert!(said.contains("refused by rule") || path == "certs/SERVER.pem.", "{path}: {said}");
    }
}

#[tokio::test]
async fn a_harmless_link_does_not_make_a_secret_harmless() {
    let ground = ground();
    ground.link("notes.txt", ".env").link("git", ".git").link("config.txt", ".git/config");
    ground.link("certs/a.txt", "../certs/server.pem");
    let mut session = ground.session();
    for path in ["notes.txt", "git/config", "config.txt", "certs/a.txt"] {
        let said = session.read_refused(path).await;
        assert!(said.contains("refused by rule"), "{path}: {said}");
        assert!(!said.contains(".env"), "it says what was asked for: {said}");
    }
}

#[tokio::test]
async fn lists_and_searches_show_neither_their_names_nor_their_text() {
    let ground = ground();
    let mut session = ground.session();
    let listed = session.done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(SERVED));
    let shallow = session.done("list_files", json!({ "depth": 1 })).await;
    let folders = json!([".github", "app", "certs", "other", "src", "vendor", "worktree"]);
    assert_eq!(shallow["folders"], folders);
    for glob in [".env", "*.pem", "**/.git/**", ".*", "certs/*"] {
        let found = session.done("search", json!({ "pattern": CANARY, "glob": glob })).await;
        assert_eq!(found["matches"], 0, "{glob}: {found}");
    }
    let found = session.done("search", json!({ "pattern": "token" })).await;
    assert_eq!(found["matches"], SERVED.len());
}
