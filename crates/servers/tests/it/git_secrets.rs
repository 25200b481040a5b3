//! The rules about secrets hold in what Git keeps as they do on the disk.

use serde_json::json;

use crate::session::Ground;

const CANARY: &str = "canary-of-a-secret";

const SECRET: [&str; 6] =
    [".env", "app/prod.env", "certs/server.pem", ".ssh/config", "id_ed25519", ".aws/credentials"];

/// Secrets that were committed, changed, staged and changed again.
fn ground() -> Ground {
    let ground = Ground::repository();
    for path in SECRET {
        ground.write(path, format!("token = {CANARY}-1\n"));
    }
    ground.write("a.txt", "a\n");
    ground.commit("with secrets");
    for path in SECRET {
        ground.write(path, format!("token = {CANARY}-2\n"));
    }
    ground.write("a.txt", "b\n");
    ground.commit("other secrets");
    for path in SECRET {
        ground.write(path, format!("token = {CANARY}-3\n"));
    }
    ground.write("a.txt", "c\n");
    ground.git(&["add", "-A"]);
    for path in SECRET {
        ground.write(path, format!("token = {CANARY}-4\n"));
    }
    ground.write("a.txt", "d\n").write("new.pem", CANARY);
    ground
}

#[tokio::test]
async fn no_tree_diff_or_status_shows_a_secret_or_its_name() {
    let ground = ground();
    let mut session = ground.session();
    for (tool, arguments, withheld) in [
        ("git_status", json!({}), Some(SECRET.len())),
        ("git_diff", json!({}), Some(SECRET.len())),
        ("git_diff", json!({ "staged": true }), Some(SECRET.len())),
        ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD" }), Some(SECRET.len())),
        ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD", "paths": ["."] }), Some(6)),
        ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD", "paths": ["certs"] }), Some(1)),
        ("git_show", json!({ "revision": "HEAD" }), Some(SECRET.len())),
        ("git_show", json!({ "revision": "HEAD~1" }), Some(SECRET.len())),
        ("git_show", json!({ "revision": "HEAD", "path": "" }), Some(4)),
        ("git_show", json!({ "revision": "HEAD", "path": "certs" }), Some(1)),
        ("git_log", json!({}), None),
    ] {
        let result = session.call(tool, arguments.clone()).await;
        let shown = result.to_string();
        assert_eq!(result["isError"], false, "{tool} {arguments}: {shown}");
        for word in [CANARY, ".env", ".pem", ".ssh", "id_ed", ".aws"] {
            assert!(!shown.contains(word), "{tool} {arguments} shows {word}: {shown}");
        }
        if let Some(withheld) = withheld {
            assert_eq!(result["structuredContent"]["withheld"], withheld, "{tool} {arguments}");
        }
    }
}

#[tokio::test]
async fn a_secret_is_not_to_be_had_by_name_spelling_or_id() {
    let ground = ground();
    ground.git(&["rm", "-q", "-f", "--cached", ".env"]);
    ground.commit("without");
    let mut session = ground.session();
    for path in SECRET.into_iter().chain([
        "./.env",
        "a/../.env",
        ".ENV",
        ".env/",
        "certs/../certs/server.pem",
        ".git/config",
        ".git/../a.txt",
    ]) {
        for (tool, arguments) in [
            ("git_show", json!({ "revision": "HEAD~1", "path": path })),
            ("git_blame", json!({ "revision": "HEAD~1", "path": path })),
            ("git_log", json!({ "paths": [path] })),
            ("git_diff", json!({ "from": "HEAD~1", "to": "HEAD", "paths": [path] })),
            ("git_status", json!({ "paths": [path] })),
        ] {
            let said = session.refused(tool, arguments.clone()).await;
            assert!(said.contains("refused by rule"), "{tool} {arguments}: {said}");
        }
    }
    let blob = ground.git(&["rev-parse", "HEAD~1:.env"]);
    for revision in [blob.trim(), "HEAD~1:.env", ":.env"] {
        let said = session.refused("git_show", json!({ "revision": revision })).await;
        assert!(!said.contains(CANARY), "{revision}: {said}");
    }
}
