//! People whom an issuer speaks for log in at a server behind the gate, in a browser: who is verified, whose
//! login it becomes, and what somebody gets out of another's link.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolgate_testkit::{Act, IdentityProvider, IssuerSite, Script, SigningKey, Site};

use super::gate::Gate;
use crate::login::{get, located};
use crate::support::{World, served};

const PUBLIC: &str = "https://gate.example.com/tools";

/// A gate of an issuer before a server that wants a login of its own.
struct SharedGate {
    world: World,
    gate: Gate,
    issuer: IssuerSite,
    key: SigningKey,
    provider: IdentityProvider,
    site: Site,
    _runtime: Runtime,
}

impl SharedGate {
    fn new() -> Self {
        let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
        let script = Script::modern()
            .on("tools/list", [Act::answer(tools)])
            .on_call("t", [Act::say("done")]);
        let (runtime, site) = served(script);
        let provider = runtime.block_on(IdentityProvider::start());
        site.let_in_by(&provider);
        let key = SigningKey::p256("k1");
        let issuer = runtime.block_on(IssuerSite::start(&key));
        let world = World::new();
        let settings = format!(
            "[limits]\nlist_wait_ms = 30000\n\
             [gateway]\nauth = \"oauth\"\npublic_url = {PUBLIC:?}\n\
             [gateway.oauth]\nissuer = {:?}\nclient_id = \"gate\"\n\
             client_secret = \"${{GATE_SECRET}}\"\nrole_claim = \"groups\"\n\
             roles = {{ eng = \"coder\" }}\n\
             [bundles.all]\nserver = \"one\"\nmode = \"direct\"\n[roles.coder]\nbundles = [\"all\"]\n",
            issuer.issuer()
        );
        world.write(World::GLOBAL, &settings);
        world.server("one", &format!("url = {:?}\napproval = \"approve\"", site.url("/mcp")));
        let world = world.with("GATE_SECRET", "gate-secret");
        let gate = Gate::on_free_port(&world);
        Self { world, gate, issuer, key, provider, site, _runtime: runtime }
    }

    fn token_of(&self, person: &str, group: &str) -> String {
        let mut claims = self.issuer.claims(PUBLIC, person);
        claims["groups"] = json!([group]);
        self.key.token(&claims)
    }

    fn call(&self, person: &str) -> Value {
        let call = json!({"name": "one__t", "arguments": {}});
        self.gate.ask_with(&self.token_of(person, "eng"), "tools/call", call)
    }

    /// What the answer to a call says.
    fn said(&self, person: &str) -> String {
        let answer = self.call(person);
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// Somebody sits at a browser, logged in at the issuer.
    fn browser(&self, person: &str) -> Browser<'_> {
        self.issuer.log_in_with(&self.token_of(person, "eng"));
        Browser { shared: self, cookie: None }
    }
}

/// A browser that knows one cookie, and the gate by the name it has in public.
struct Browser<'a> {
    shared: &'a SharedGate,
    cookie: Option<String>,
}

impl Browser<'_> {
    /// Opens an address; gives the whole answer.
    fn open(&mut self, url: &str) -> String {
        let Some(path) = url.strip_prefix("https://gate.example.com") else { return get(url) };
        let mut stream = self.shared.gate.caller().connect();
        let cookie = self.cookie.as_ref().map(|cookie| format!("cookie: {cookie}\r\n"));
        let asked = format!(
            "GET {path} HTTP/1.1\r\nhost: gate.example.com\r\nconnection: close\r\n{}\r\n",
            cookie.unwrap_or_default()
        );
        stream.write_all(asked.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let set = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        if let Some(set) = set {
            assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
            assert!(set.contains("Secure") && set.starts_with("__Host-"), "{set}");
            self.cookie = set.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// From the link to the page that asks whether to go on, over the gate's issuer.
    fn asked_to_go_on(&mut self, link: &str) -> String {
        let at_issuer = located(&self.open(link));
        assert!(at_issuer.starts_with(self.shared.issuer.issuer()), "{at_issuer}");
        let back = located(&self.open(&at_issuer));
        self.open(&back)
    }
}

/// Where the page leads on.
fn link_in(page: &str) -> String {
    let rest = page.split_once("href=\"").map(|(_, rest)| rest).unwrap_or_default();
    let link = rest.split('"').next().unwrap_or_default().replace("&amp;", "&");
    assert!(link.starts_with("http"), "{page}");
    link
}

const LINK: &str = "https://gate.example.com/tools/login/to/one";

#[test]
fn whoever_is_verified_logs_in_for_themselves_and_for_nobody_else() {
    let shared = SharedGate::new();
    let refused = shared.said("alice");
    assert!(refused.contains(&format!("a person logs in at {LINK}")), "{refused}");
    assert!(!refused.contains("toolgate login"), "that is the owner's: {refused}");
    let mut browser = shared.browser("alice");
    let page = browser.asked_to_go_on(LINK);
    let principal = format!("oauth:{}#alice", shared.issuer.issuer());
    for shown in ["<b>one</b>", &principal, "content-security-policy", "cache-control: no-store"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(shared.provider.visits("/token").is_empty(), "nothing before the person goes on");
    let back = located(&browser.open(&link_in(&page)));
    assert!(browser.open(&back).contains("You are logged in"), "{back}");
    assert_eq!(shared.said("alice"), "done");
    assert!(shared.said("bob").contains("wants a login"), "it is hers alone");
    let bearer = shared.token_of("alice", "eng");
    let seen = shared.site.visits().iter().any(|visit| format!("{visit:?}").contains(&bearer));
    assert!(!seen, "the caller's own token went to no server");
    assert!(browser.open(&back).contains("does not belong"), "an answer counts once");
    let listed = shared.world.run(&["auth", "list"]).ok().stdout;
    assert!(listed.contains(&principal), "{listed}");
    // Whoever runs the gate can end it.
    let stranger = ["logout", "one", "--of", "oauth:x#bob"];
    assert!(shared.world.run(&stranger).fails_with(1).stderr.contains("has no login for one"));
    let ended = shared.world.run(&["logout", "one", "--of", &principal]).ok();
    assert!(ended.stderr.contains("the server ended the login too"), "{ended:#?}");
    assert!(shared.said("alice").contains("wants a login"));
}

/// Mallory's agent is told a link, which Mallory sends to Bob: Bob logs in, for Bob.
#[test]
fn session_theft_somebody_elses_link_gives_them_nothing() {
    let shared = SharedGate::new();
    assert!(shared.said("mallory").contains(LINK));
    let mut bob = shared.browser("bob");
    let page = bob.asked_to_go_on(LINK);
    let back = located(&bob.open(&link_in(&page)));
    bob.open(&back);
    assert_eq!(shared.said("bob"), "done");
    assert!(shared.said("mallory").contains("wants a login"));
}

/// What was begun in one browser is finished in no other: neither who it is, nor the login at the server.
#[test]
fn session_theft_an_answer_of_another_browser_is_none() {
    let shared = SharedGate::new();
    let mut mallory = shared.browser("mallory");
    let at_issuer = located(&mallory.open(LINK));
    let mallorys_answer = located(&mallory.open(&at_issuer));
    let mut bob = shared.browser("bob");
    let refused = bob.open(&mallorys_answer);
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    // With a browser that has begun something itself, too.
    let page = bob.asked_to_go_on(LINK);
    assert!(bob.open(&mallorys_answer).starts_with("HTTP/1.1 400"));
    let bobs_answer = located(&bob.open(&link_in(&page)));
    let tokens = shared.provider.visits("/token").len();
    assert!(mallory.open(&bobs_answer).starts_with("HTTP/1.1 400"));
    assert_eq!(shared.provider.visits("/token").len(), tokens, "the code was not redeemed");
    for odd in ["?code=x", "?state=x&code=y", "?error=access_denied", ""] {
        let url = format!("https://gate.example.com/tools/login/callback{odd}");
        assert!(bob.open(&url).starts_with("HTTP/1.1 400"), "{odd}");
    }
    assert!(bob.open(&bobs_answer).contains("You are logged in"), "it is still good for Bob");
}

/// What is not for somebody is not there, whether it exists or not.
#[test]
fn confused_deputy_who_may_not_see_a_server_does_not_log_in_there() {
    let shared = SharedGate::new();
    let mut browser = shared.browser("alice");
    let unknown = browser.asked_to_go_on("https://gate.example.com/tools/login/to/other");
    shared.issuer.log_in_with(&shared.token_of("sales", "sales"));
    let mut sales = Browser { shared: &shared, cookie: None };
    let hidden = sales.asked_to_go_on(LINK);
    assert!(hidden.starts_with("HTTP/1.1 404"), "{hidden}");
    let body = |page: &str| page.split("\r\n\r\n").nth(1).unwrap().to_owned();
    assert_eq!(body(&unknown), body(&hidden), "one cannot be told from the other");
    assert!(shared.provider.visits("/authorize").is_empty());
}

/// A token that the issuer gave for another resource, or that is none, opens no login.
#[test]
fn confused_deputy_who_has_no_token_for_this_gate_logs_in_nowhere() {
    let shared = SharedGate::new();
    let elsewhere = shared.issuer.claims("https://other.example", "alice");
    for token in [shared.key.token(&elsewhere), "x".to_owned(), String::new()] {
        shared.issuer.log_in_with(&token);
        let mut browser = Browser { shared: &shared, cookie: None };
        let page = browser.asked_to_go_on(LINK);
        assert!(page.starts_with("HTTP/1.1 403"), "{token}: {page}");
    }
    assert!(shared.provider.visits("/authorize").is_empty());
}

#[test]
fn it_is_said_when_the_gates_issuer_cannot_be_asked() {
    let shared = SharedGate::new();
    shared.issuer.answer("/.well-known/oauth-authorization-server", 500, "");
    let away = shared.browser("alice").open(LINK);
    assert!(away.starts_with("HTTP/1.1 502"), "{away}");
}

/// Words of a server and its issuer are text on the page.
#[test]
fn hidden_text_html_in_a_login_is_shown_as_text() {
    let shared = SharedGate::new();
    let faults = toolgate_testkit::IdentityFaults {
        login_error: Some("<script>alert(1)</script>".to_owned()),
        login_error_words: Some("\"><img src=x>".to_owned()),
        ..toolgate_testkit::IdentityFaults::default()
    };
    shared.provider.with_faults(faults);
    let mut browser = shared.browser("alice");
    let page = browser.asked_to_go_on(LINK);
    let back = located(&browser.open(&link_in(&page)));
    let refused = browser.open(&back);
    assert!(refused.contains("&lt;script&gt;"), "{refused}");
    assert!(!refused.contains("<script") && !refused.contains("<img"), "{refused}");
}

/// A client that arrives is told what is missing from its lists, and where that is to be had.
#[test]
fn who_arrives_is_told_which_servers_want_a_login() {
    let shared = SharedGate::new();
    shared.said("alice");
    let token = shared.token_of("alice", "eng");
    let told = shared.gate.ask_with(&token, "server/discover", json!({}));
    let words = told["result"]["instructions"].as_str().unwrap_or_default();
    assert!(words.contains(&format!("`one`: a person logs in at {LINK}")), "{told}");
    let hidden = shared.token_of("sales", "sales");
    let told = shared.gate.ask_with(&hidden, "server/discover", json!({}));
    assert!(!told.to_string().contains("login"), "{told}");
    let call = json!({"name": "one__t", "arguments": {}});
    let refused = shared.gate.ask_with(&hidden, "tools/call", call);
    assert!(refused["error"]["message"].as_str().unwrap().contains("there is no"), "{refused}");
}
