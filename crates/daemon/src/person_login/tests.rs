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
use toolgate_testkit::{Act, IdentityFaults, IdentityProvider, Script, Site};
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
    patience: Duration,
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
        let patience = PersonLogin::PATIENCE;
        Self { site, provider, remote, logins, patience, _folder: folder }
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
        self.log_in_by(person, false).await
    }

    async fn log_in_by(
        &self,
        person: &ScriptedPerson,
        with_code: bool,
    ) -> Result<Option<KeptLogin>, LoginError> {
        let login = self.login(with_code);
        timeout(Duration::from_secs(60), login.log_in(person)).await.unwrap()
    }

    fn login(&self, with_code: bool) -> PersonLogin<'_> {
        PersonLogin {
            logins: Arc::clone(&self.logins),
            key: self.key(),
            remote: &self.remote,
            configured: Oauth::default(),
            scope: None,
            fetch: login_fetch(&self.remote, Path::new("/"), &BTreeMap::new()).unwrap(),
            with_code,
            patience: self.patience,
        }
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
    codes: Mutex<Vec<String>>,
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

    async fn show_code(&self, code: &LoginCode<'_>) {
        self.codes.lock().push(format!("{} {}", code.code, code.url));
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

/// Shows: S1-93, S1-96, S4-33, E-2. From a 401 to a token that the server takes, with PKCE, the resource and a client that
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
        let token = world
            .logins
            .token(&world.key(), &Default::default(), &fetch, 0)
            .await
            .unwrap()
            .unwrap();
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

/// A code is shown with nothing hidden in it, and what comes is bound and kept as any login is.
#[tokio::test(flavor = "current_thread")]
async fn a_code_that_is_typed_in_elsewhere_does_as_well() {
    let world = LoginWorld::new().await;
    let device = Some(vec!["authorization_pending".to_owned()]);
    world.provider.with_faults(IdentityFaults { device, ..IdentityFaults::default() });
    let person = ScriptedPerson::default();
    let login = world.log_in_by(&person, true).await.unwrap().unwrap();
    let shown = person.codes.lock().join(" ");
    let place = format!("{}/type-it-in", world.provider.issuer());
    assert!(shown.starts_with("WDJB-") && shown.ends_with(&format!("MJHT {place}")), "{shown}");
    assert!(!shown.contains('\u{1b}'));
    assert_eq!(world.provider.visits("/token").len(), 2, "once too early");
    assert_eq!(world.provider.visits("/device")[0].fields["resource"], world.site.url("/mcp"));
    assert_eq!(login.binding.issuer, Some(world.provider.issuer()));
    assert!(world.logins.login(&world.key()).unwrap().is_some());
    assert_eq!(world.provider.visits("/authorize").len(), 0);
}

#[tokio::test(flavor = "current_thread")]
async fn a_code_that_is_refused_or_leads_elsewhere_brings_nothing() {
    let place = |written: &str| Some(written.to_owned());
    for (device, verification, why) in [
        (Some(vec!["access_denied".to_owned()]), None, "somebody said no"),
        (Some(vec!["expired_token".to_owned()]), None, "not typed in in time"),
        (Some(vec![]), place("javascript:alert(1)"), "neither http nor https"),
        (Some(vec![]), place("http://evil.example/"), "not behind TLS"),
        (None, None, "offers no login with a code"),
    ] {
        let world = LoginWorld::new().await;
        world.provider.with_faults(IdentityFaults { device, verification, ..Default::default() });
        let person = ScriptedPerson::default();
        let refused = world.log_in_by(&person, true).await.unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
        assert!(world.logins.login(&world.key()).unwrap().is_none());
    }
}

/// Shows: S1-96. The listener waits for a limited time, and nobody can come back to it later.
#[tokio::test(flavor = "current_thread")]
async fn a_login_that_nobody_answers_ends() {
    #[derive(Default)]
    struct SilentPerson(Mutex<Option<u16>>);
    #[async_trait]
    impl LoginConversation for SilentPerson {
        async fn show(&self, link: &LoginLink<'_>) {
            let link = url::Url::parse(link.url).unwrap();
            let back = link.query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1;
            *self.0.lock() = url::Url::parse(&back).unwrap().port();
        }
        async fn show_code(&self, _: &LoginCode<'_>) {}
        async fn pasted(&self) -> String {
            std::future::pending().await
        }
        async fn not_believed(&self, _: &LoginError) {}
    }
    let mut world = LoginWorld::new().await;
    world.patience = Duration::from_millis(50);
    let person = SilentPerson::default();
    let login = world.login(false);
    let refused = login.log_in(&person).await.unwrap_err();
    assert!(refused.to_string().contains("in time"), "{refused}");
    let port = person.0.lock().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "nobody listens any more");
    assert_eq!(world.provider.visits("/token").len(), 0);
}
