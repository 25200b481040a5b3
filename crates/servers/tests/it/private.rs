//! Toolgate's own things and other programs' credentials are served by no name, not even a second one.

use std::fs;

use serde_json::json;
use toolgate_servers::{PrivatePlaces, RepoServer};

use crate::session::{Ground, Session};

const CANARY: &str = "canary-of-a-secret";

/// Credentials of programs as they lie in a home, wherever that lies in the served folder.
const CREDENTIALS: [&str; 38] = [
    ".docker/config.json",
    ".config/gh/hosts.yml",
    ".config/gh/config.yml",
    ".aws/config",
    ".kube/config",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".config/git/credentials",
    ".ssh/config",
    ".gnupg/secring.gpg",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".config/gcloud/access_tokens.db",
    ".azure/msal_token_cache.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".local/share/fish/fish_history",
    ".mozilla/firefox/x.default/prefs.js",
    ".config/google-chrome/Default/Preferences",
    ".config/chromium/Default/History",
    ".config/BraveSoftware/Brave-Browser/Local State",
    "profile/Login Data",
    "profile/logins.json",
    ".password-store/work.gpg",
    ".local/share/keyrings/login.keyring",
    ".terraform.d/credentials.tfrc.json",
    ".config/rclone/rclone.conf",
    ".m2/settings.xml",
    ".codex/auth.json",
    ".claude/.credentials.json",
    ".config/toolgate/config.toml",
    ".local/state/toolgate/state.db",
    "mcp-auth.json",
    ".Xauthority",
];

/// What is called alike and is none.
const SERVED: [&str; 9] = [
    "ansible/hosts.yml",
    "config.json",
    "docker/config.json",
    "etc/hosts",
    "gradle.properties",
    "history.md",
    "settings.xml",
    "src/history.rs",
    "toolgate.toml",
];

async fn refuses(session: &mut Session, path: &str, why: &str) {
    let said = session.read_refused(path).await;
    assert!(said.contains(why), "{path}: {said}");
    let said = session.refused("search", json!({ "path": path, "pattern": "." })).await;
    assert!(said.contains(why), "{path}: {said}");
}

/// That neither a list nor a search of everything gives it away.
async fn shows_only(session: &mut Session, files: &[&str]) {
    let listed = session.done("list_files", json!({})).await;
    assert_eq!(listed["files"], json!(files));
    let found = session.done("search", json!({ "pattern": CANARY })).await;
    assert_eq!(found["matches"], 0, "{found}");
}

#[tokio::test]
async fn credentials_of_well_known_programs_are_secrets_wherever_they_lie() {
    let ground = Ground::new();
    for home in ["", "home/somebody/", "HOME/"] {
        for path in CREDENTIALS {
            ground.write(&format!("{home}{path}"), CANARY);
        }
    }
    for path in SERVED {
        ground.write(path, "plain");
    }
    let mut session = ground.session();
    for home in ["", "home/somebody/", "HOME/"] {
        for path in CREDENTIALS {
            refuses(&mut session, &format!("{home}{path}"), "refused by rule").await;
        }
    }
    for path in SERVED {
        assert_eq!(session.read(path).await["text"], "plain");
    }
    shows_only(&mut session, &SERVED).await;
}

#[tokio::test]
async fn credentials_are_secrets_in_any_case_and_behind_links() {
    let ground = Ground::new();
    ground.write(".DOCKER/Config.JSON", CANARY).write(".config/GH/Hosts.yml", CANARY);
    ground.write(".Bash_History", CANARY);
    ground.link("docker", ".DOCKER").link("plain.json", ".DOCKER/Config.JSON");
    let mut session = ground.session();
    for path in [
        ".DOCKER/Config.JSON",
        ".config/GH/Hosts.yml",
        ".Bash_History",
        "docker/Config.JSON",
        "plain.json",
    ] {
        refuses(&mut session, path, "refused by rule").await;
    }
    shows_only(&mut session, &[]).await;
}

#[tokio::test]
async fn a_folder_that_is_served_from_inside_a_secret_place_serves_nothing() {
    for inside in [".config/gh", ".ssh", ".aws/sso"] {
        let ground = Ground::new();
        let folder = ground.root().join(inside);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("hosts.txt"), CANARY).unwrap();
        let mut session = Session::with(&RepoServer::new(folder, PrivatePlaces::default()));
        for (tool, arguments) in [
            ("read_file", json!({ "path": "hosts.txt" })),
            ("list_files", json!({})),
            ("search", json!({ "pattern": "." })),
        ] {
            let said = session.refused(tool, arguments).await;
            assert!(said.contains("refused by rule"), "{inside}: {said}");
        }
    }
}

/// A folder with Toolgate's own things at odd places in it.
fn with_own() -> (Ground, PrivatePlaces) {
    let ground = Ground::with(&[
        ("state/data/state.db", CANARY),
        ("state/data/logs/a.log", CANARY),
        ("mine.toml", CANARY),
        ("src/a.txt", "plain"),
    ]);
    let own = vec![
        ground.root().join("state/data"),
        ground.root().join("mine.toml"),
        ground.root().join("not/there/yet"),
    ];
    (ground, PrivatePlaces { own, home: None })
}

#[tokio::test]
async fn toolgates_own_things_are_not_served_wherever_they_are_configured_to_lie() {
    let (ground, private) = with_own();
    ground.link("state/link", "data").link("link.toml", "mine.toml");
    let mut session = ground.session_beside(private);
    for path in [
        "state/data/state.db",
        "state/data/logs/a.log",
        "state/data/../data/logs/../state.db",
        "state/link/state.db",
        "mine.toml",
        "link.toml",
    ] {
        refuses(&mut session, path, "Toolgate's own").await;
    }
    let said = session.refused("list_files", json!({ "path": "state/data" })).await;
    assert!(said.contains("Toolgate's own"), "{said}");
    shows_only(&mut session, &["src/a.txt"]).await;
    let shallow = session.done("list_files", json!({ "path": "state", "depth": 1 })).await;
    assert_eq!(shallow["folders"], json!([]));
    // What appears while it serves is private from then on.
    ground.write("not/there/yet", CANARY);
    refuses(&mut session, "not/there/yet", "Toolgate's own").await;
}

#[tokio::test]
async fn a_folder_inside_toolgates_own_serves_nothing() {
    let (ground, mut private) = with_own();
    private.own = vec![ground.beside("")];
    let mut session = ground.session_beside(private);
    refuses(&mut session, "src/a.txt", "Toolgate's own").await;
}

#[tokio::test]
async fn another_name_of_a_secret_file_is_refused_and_of_any_other_file_is_not() {
    let ground = Ground::new();
    let home = ground.beside("home");
    let own = ground.beside("own");
    let stored = ground.beside("store");
    for (path, text) in [
        (home.join(".ssh/deploy"), CANARY),
        (home.join(".config/gh/hosts.yml"), CANARY),
        (home.join(".docker/config.json"), CANARY),
        (home.join(".bash_history"), CANARY),
        (own.join("artifacts/ab/part"), CANARY),
        (stored.join("left-pad.js"), "plain"),
        (home.join("notes.txt"), "plain"),
    ] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for (from, to) in [
        (home.join(".ssh/deploy"), "a.txt"),
        (home.join(".config/gh/hosts.yml"), "b.txt"),
        (home.join(".docker/config.json"), "c.txt"),
        (home.join(".bash_history"), "d.txt"),
        (own.join("artifacts/ab/part"), "e.txt"),
        (stored.join("left-pad.js"), "f.js"),
        (home.join("notes.txt"), "g.txt"),
    ] {
        fs::hard_link(from, ground.root().join(to)).unwrap();
    }
    let private = PrivatePlaces { own: vec![own], home: Some(home) };
    let mut session = ground.session_beside(private);
    for path in ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"] {
        refuses(&mut session, path, "another name of a file that holds secrets").await;
    }
    for path in ["f.js", "g.txt"] {
        assert_eq!(session.read(path).await["text"], "plain");
    }
    shows_only(&mut session, &["f.js", "g.txt"]).await;
}

#[tokio::test]
async fn what_the_system_says_about_processes_is_not_served() {
    let mut session = Session::with(&RepoServer::new("/".into(), PrivatePlaces::default()));
    for path in ["proc/self/environ", "/proc/1/environ", "proc/version"] {
        let said = session.read_refused(path).await;
        assert!(said.contains("about processes is not served"), "{path}: {said}");
    }
}
