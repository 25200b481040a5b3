//! A person's login against an authorization server on this machine: what works, and everything that
//! must not.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexMap;
use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolgate_store::{LoginFiles, LoginHolder};
use toolgate_testkit::web::{LoginManners, WebManners};
use toolgate_testkit::{Act, IdentityProvider, Script, Site};
use toolgate_types::config::RemoteKind;
use toolgate_types::{ConfigText, Endpoint, ServerId};
use toolgate_upstream::login_fetch;

use super::*;

mod hostile;
mod stepping_up;

/// A server that lets in only who logged in, and who says so.
struct LoginWorld {
    site: Site,
    provider: IdentityProvider,
    remote: RemoteServer,
    logins: Arc<ServerLogins>,
    _folder: TempDir,
}

impl LoginWorld {
    async fn new() -> Self {
        Self::with(LoginManners::default()).await
    }

    async fn with(manners: LoginManners) -> Self {
        let script = Script::modern().on("tools/list", [Act::answer(r#"{"tools":[]}"#)]);
        let site = script.over_http(WebManners::default()).await;
        let provider = IdentityProvider::start().await;
        site.let_in_so(&provider, manners);
        let folder = tempfile::tempdir().unwrap();
        let files = LoginFiles::of_state_folder(&folder.path().join("toolgate"));
        let endpoint = Endpoint::parse(ConfigText::Plain(site.url("/mcp"))).unwrap();
        let remote = RemoteServer {
            endpoint,
            kind: RemoteKind::Http,
            headers: IndexMap::new(),
            bearer_token_env: None,
            auth_provider: None,
            oauth: None,
            ca_file: None,
        };
        let logins = Arc::new(ServerLogins::new(Arc::new(files)));
        Self { site, provider, remote, logins, _folder: folder }
    }

    fn key(&self) -> LoginKey {
        LoginKey {
            server: ServerId::parse("one").unwrap(),
            url: self.site.url("/mcp"),
            holder: LoginHolder::Owner,
            account: None,
        }
    }

    async fn log_in(&self, person: &ScriptedPerson) -> Result<Option<KeptLogin>, LoginError> {
        let login = PersonLogin {
            logins: Arc::clone(&self.logins),
            key: self.key(),
            remote: &self.remote,
            configured: Oauth::default(),
            scope: None,
            fetch: login_fetch(&self.remote, Path::new("/"), &BTreeMap::new()).unwrap(),
        };
        timeout(Duration::from_secs(60), login.log_in(person)).await.unwrap()
    }
}

/// What somebody does with the link.
#[derive(Default)]
struct ScriptedPerson {
    /// Its browser reaches this machine; otherwise the address is pasted.
    pastes: bool,
    /// Says this first.
    first: Option<String>,
    /// Its browser comes back twice at once.
    twice: bool,
    /// What becomes of the address before it is pasted.
    mutates: Option<fn(&str) -> String>,
    links: Mutex<Vec<(String, Option<String>)>>,
    pasted: Mutex<Vec<String>>,
    pages: Arc<Mutex<Vec<String>>>,
    not_believed: Mutex<Vec<String>>,
}

#[async_trait]
impl LoginConversation for ScriptedPerson {
    async fn show(&self, link: &LoginLink<'_>) {
        let answer = get(link.url).await;
        let back = answer.lines().find_map(|line| line.strip_prefix("location: "));
        let back = back.unwrap().trim().to_owned();
        let back = self.mutates.map_or(back.clone(), |mutates| mutates(&back));
        self.links.lock().push((link.url.to_owned(), link.issuer_before.map(str::to_owned)));
        self.pasted.lock().extend(self.first.clone());
        if self.pastes {
            self.pasted.lock().push(back);
            return;
        }
        for _ in 0..if self.twice { 2 } else { 1 } {
            let (pages, back) = (Arc::clone(&self.pages), back.clone());
            tokio::spawn(async move {
                let page = get(&back).await;
                pages.lock().push(page);
            });
        }
    }

    async fn pasted(&self) -> String {
        let next = {
            let mut pasted = self.pasted.lock();
            if pasted.is_empty() { None } else { Some(pasted.remove(0)) }
        };
        match next {
            Some(next) => next,
            None => std::future::pending().await,
        }
    }

    async fn not_believed(&self, why: &LoginError) {
        self.not_believed.lock().push(why.to_string());
    }
}

/// As a browser asks, without following.
async fn get(url: &str) -> String {
    let url = url::Url::parse(url).unwrap();
    let port = url.port().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let target = &url[url::Position::BeforePath..];
    let asked =
        format!("GET {target} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// Shows: S1-93. From a 401 to a token that the server takes, with PKCE, the resource and a client that
/// registered itself; in a browser, and by a pasted address.
#[tokio::test(flavor = "current_thread")]
async fn a_person_logs_in_by_browser_or_by_pasting() {
    for pastes in [false, true] {
        let world = LoginWorld::new().await;
        let person = ScriptedPerson { pastes, ..ScriptedPerson::default() };
        let login = world.log_in(&person).await.unwrap().unwrap();
        assert_eq!(login.binding.issuer, Some(world.provider.issuer()));
        assert_eq!(login.binding.resource, world.site.url("/mcp"));
        let asked = world.provider.visits("/authorize").remove(0).fields;
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["resource"], world.site.url("/mcp"));
        assert_eq!(world.provider.visits("/token").len(), 1);
        let fetch = login_fetch(&world.remote, Path::new("/"), &BTreeMap::new()).unwrap();
        let token = world.logins.token(&world.key(), &fetch, 0).await.unwrap().unwrap();
        let kept = login.tokens.unwrap();
        assert_eq!(token.expose(), kept.access_token.expose());
        if !pastes {
            while person.pages.lock().is_empty() {
                tokio::task::yield_now().await;
            }
            assert!(person.pages.lock()[0].contains("You are logged in"), "{:?}", person.pages);
        }
        // The client stays what it was registered as.
        world.log_in(&ScriptedPerson { pastes, ..Default::default() }).await.unwrap();
        assert_eq!(world.provider.visits("/register").len(), 1);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_a_stranger_sends_ends_nothing() {
    let world = LoginWorld::new().await;
    let first = Some("http://localhost:1/mcp/oauth/callback?code=x&state=y".to_owned());
    let person = ScriptedPerson { pastes: true, first, ..ScriptedPerson::default() };
    world.log_in(&person).await.unwrap().unwrap();
    assert_eq!(person.not_believed.lock().len(), 1);
    assert_eq!(world.provider.visits("/token").len(), 1);
}

#[tokio::test(flavor = "current_thread")]
async fn a_server_that_wants_no_login_is_not_logged_in_to() {
    let world = LoginWorld::new().await;
    let script = Script::modern().on("tools/list", [Act::answer(r#"{"tools":[]}"#)]);
    let open = script.over_http(WebManners::default()).await;
    let endpoint = Endpoint::parse(ConfigText::Plain(open.url("/mcp"))).unwrap();
    let remote = RemoteServer { endpoint, ..world.remote.clone() };
    let world = LoginWorld { remote, site: open, ..world };
    assert!(world.log_in(&ScriptedPerson::default()).await.unwrap().is_none());
}
