//! Several processes with one login whose token runs out: one of them renews it, and all go on with what came.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::SystemTime;

use toolgate_store::{
    KeptLogin, LoginBinding, LoginFiles, LoginHolder, LoginKey, LoginTokens, LoginVault as _,
};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{IdentityProvider, Script};
use toolgate_types::{Secret, ServerId, since_1970};

use crate::peer_path;

const ROUNDS: usize = 100;

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(folder: &std::path::Path, url: &str) -> Self {
        let mut command = Command::new(peer_path());
        command.arg("renewing").arg(folder).arg(url).env_clear();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output) }
    }

    fn go(&mut self) {
        self.input.write_all(b"go\n").unwrap();
    }

    fn token(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn login(provider: &IdentityProvider, url: &str, (access, refresh): (String, String)) -> KeptLogin {
    KeptLogin {
        client_id: "client".to_owned(),
        client_secret: None,
        tokens: Some(LoginTokens {
            access_token: Secret::new(access),
            refresh_token: Some(Secret::new(refresh)),
            // Within the minute in which a token is renewed.
            expires_at: Some(since_1970(SystemTime::now()) + 30_000),
            scope: None,
        }),
        wanted_scope: None,
        binding: LoginBinding {
            server_url: url.to_owned(),
            issuer: Some(provider.issuer()),
            resource: url.to_owned(),
            token_endpoint: format!("{}/token", provider.issuer()),
            revocation_endpoint: None,
            client_auth: "none".to_owned(),
        },
        rest: serde_json::Map::new(),
    }
}

/// Shows: E-2. The provider gives a new refresh token each time and ends the login where an old one is shown
/// again, as careful ones do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_renew_an_expiring_token_once_and_never_lose_the_login() {
    let site = Script::modern().over_http(WebManners::default()).await;
    let provider = IdentityProvider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("toolgate");
    let files = LoginFiles::of_state_folder(&state);
    let url = site.url("/mcp");
    let server = ServerId::parse("one").unwrap();
    let key = LoginKey { server, url: url.clone(), holder: LoginHolder::Owner, account: None };
    files.keep(&key, &login(&provider, &url, provider.issue())).unwrap();
    let mut processes = [Process::start(&state, &url), Process::start(&state, &url)];
    for round in 1..=ROUNDS {
        for process in &mut processes {
            process.go();
        }
        let tokens = processes.each_mut().map(Process::token);
        assert_eq!(tokens[0], tokens[1], "round {round}");
        assert!(provider.knows(&tokens[0]), "round {round}: {tokens:?}");
        assert_eq!(provider.visits("/token").len(), round, "one renewal in each round");
        // What came is about to end as well.
        let kept = files.login(&key).unwrap().unwrap();
        let tokens = kept.tokens.clone().unwrap();
        assert!(tokens.expires_at.unwrap() > since_1970(SystemTime::now()) + 3_000_000);
        let refresh = tokens.refresh_token.unwrap().expose().to_owned();
        let access = tokens.access_token.expose().to_owned();
        files.keep(&key, &login(&provider, &url, (access, refresh))).unwrap();
    }
}
