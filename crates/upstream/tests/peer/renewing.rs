//! One of several processes that use the same login: for each line it is given it says the token that its next
//! request would carry.

#![expect(clippy::unwrap_used, reason = "a part of a test")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use indexmap::IndexMap;
use toolgate_auth::login::ServerLogins;
use toolgate_store::{LoginFiles, LoginHolder, LoginKey};
use toolgate_types::config::{Oauth, RemoteKind, RemoteServer};
use toolgate_types::{ConfigText, Endpoint, ServerId, since_1970};
use toolgate_upstream::login_fetch;

pub(crate) fn main(folder: &str, url: &str) {
    let files = LoginFiles::of_state_folder(Path::new(folder));
    let logins = ServerLogins::new(Arc::new(files));
    let remote = RemoteServer {
        endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
        kind: RemoteKind::Http,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth: None,
        ca_file: None,
    };
    let key = LoginKey {
        server: ServerId::parse("one").unwrap(),
        url: url.to_owned(),
        holder: LoginHolder::Owner,
        account: None,
    };
    let fetch = login_fetch(&remote, Path::new("/"), &BTreeMap::new()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in std::io::stdin().lock().lines() {
        let now = since_1970(SystemTime::now());
        let configured = Oauth::default();
        let token = runtime.block_on(logins.token(&key, &configured, &fetch, now));
        let said = match token {
            Ok(Some(token)) => token.expose().to_owned(),
            Ok(None) => "none".to_owned(),
            Err(error) => format!("error: {error}"),
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{said}").unwrap();
        out.flush().unwrap();
    }
}
