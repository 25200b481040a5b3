//! Callers that an issuer speaks for, with the real gate, a real issuer on loopback and a real server
//! behind: who is let in, by which keys, and what becomes of the token.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolgate_testkit::{Act, IssuerSite, Script, SigningKey, Site, issuer};

use super::gate::Gate;
use crate::support::{World, served};

const PUBLIC: &str = "https://gate.example.com";

struct Issued {
    world: World,
    gate: Gate,
    issuer: IssuerSite,
    key: SigningKey,
    site: Site,
    _runtime: Runtime,
}

impl Issued {
    fn new(auth: &str) -> Self {
        Self::with(auth, |_| String::new())
    }

    /// With more about the server, for an issuer.
    fn with(auth: &str, more: impl FnOnce(&str) -> String) -> Self {
        let tools = r#"{"tools":[{"name":"greet","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
        let script = Script::modern()
            .on("tools/list", [Act::answer(tools)])
            .on_call("greet", [Act::say("good morning")]);
        let (runtime, site) = served(script);
        let key = SigningKey::p256("k1");
        let issuer = runtime.block_on(IssuerSite::start(&key));
        let world = World::new();
        let settings = format!(
            "[limits]\nlist_wait_ms = 30000\n\
             [gateway]\nauth = {auth:?}\npublic_url = {PUBLIC:?}\n\
             [gateway.oauth]\nissuer = {:?}\nclient_id = \"gate\"\n\
             client_secret = \"${{GATE_SECRET}}\"\nrequired_scopes = [\"mcp\"]\n\
             role_claim = \"groups\"\nroles = {{ eng = \"coder\", ops = \"*\" }}\n\
             [bundles.all]\nserver = \"one\"\nmode = \"direct\"\n[roles.coder]\nbundles = [\"all\"]\n",
            issuer.issuer()
        );
        world.write(World::GLOBAL, &settings);
        let more = more(issuer.issuer());
        let url = site.url("/mcp");
        world.server("one", &format!("url = {url:?}\napproval = \"approve\"\n{more}"));
        let world = world.with("GATE_SECRET", "gate-secret");
        let gate = Gate::on_free_port(&world);
        Self { world, gate, issuer, key, site, _runtime: runtime }
    }

    fn claims(&self) -> Value {
        let mut claims = self.issuer.claims(PUBLIC, "alice");
        claims["scope"] = "openid mcp".into();
        claims["groups"] = json!(["eng"]);
        claims
    }

    fn claims_with(&self, name: &str, value: Value) -> Value {
        let mut claims = self.claims();
        claims[name] = value;
        claims
    }

    fn token(&self) -> String {
        self.key.token(&self.claims())
    }

    fn status(&self, token: &str) -> u16 {
        self.gate.status("/mcp", Some(token))
    }

    fn names(&self, token: &str) -> Vec<String> {
        let list = self.gate.ask_with(token, "tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    fn fetched_keys(&self) -> usize {
        self.issuer.visits("/keys").len()
    }
}

#[test]
fn who_brings_a_token_of_the_issuer_lists_and_calls_as_its_groups_say() {
    let issued = Issued::new("oauth");
    assert!(!issued.gate.greeting.contains("tgt_"), "no token of ours is made");
    let token = issued.token();
    assert_eq!(issued.names(&token), ["one__greet"]);
    let call = json!({"name": "one__greet", "arguments": {}});
    let answer = issued.gate.ask_with(&token, "tools/call", call);
    assert_eq!(answer["result"]["content"][0]["text"], "good morning", "{answer}");
    for claims in [
        issued.claims_with("groups", json!(["sales"])),
        issued.claims_with("groups", json!("*")),
        issued.claims_with("groups", Value::Null),
    ] {
        let unmapped = issued.key.token(&claims);
        assert!(issued.names(&unmapped).is_empty(), "{claims}");
        assert_eq!(issued.gate.status("/mcp/coder", Some(&unmapped)), 404, "{claims}");
    }
    assert_eq!(issued.fetched_keys(), 1, "for all of them");
    let ops = issued.key.token(&issued.claims_with("groups", json!(["ops"])));
    assert!(issued.names(&ops).contains(&"one__greet".to_owned()));
    let records = issued.world.run(&["audit", "--json"]).ok().stdout;
    let principal = format!("oauth:{}#alice", issued.issuer.issuer());
    assert!(records.contains(&principal), "{records}");
}

#[test]
fn what_is_not_a_token_of_the_issuer_for_this_gate_is_refused() {
    let issued = Issued::new("oauth");
    let key = &issued.key;
    let (now, claims) = (issuer::now(), issued.claims());
    let header = |name: &str, value: &str| {
        let mut header = key.header();
        header[name] = value.into();
        header
    };
    let hs256 = header("alg", "HS256");
    let public = key.jwk().to_string();
    for (what, token) in [
        ("expired", key.token(&issued.claims_with("exp", json!(now - 120)))),
        ("another audience", key.token(&issued.claims_with("aud", json!("https://other.example")))),
        ("another issuer", key.token(&issued.claims_with("iss", json!("https://evil.example")))),
        ("another key", SigningKey::p256("k1").token(&claims)),
        ("shared secret", SigningKey::token_by_secret(&hs256, &claims, public.as_bytes())),
        ("none", key.token_with(&header("alg", "none"), &claims)),
        ("ID token", key.token_with(&header("typ", "JWT"), &claims)),
        ("ID token by its claims", key.token(&issued.claims_with("nonce", json!("n")))),
        ("crit", key.token_with(&header("crit", "exp"), &claims)),
        ("one of ours", "tgt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ("nothing", "x".to_owned()),
    ] {
        assert_eq!(issued.status(&token), 401, "{what}");
    }
    let lacking = key.token(&issued.claims_with("scope", json!("openid")));
    assert_eq!(issued.status(&lacking), 403);
    assert_eq!(issued.status(&issued.token()), 200);
    assert!(issued.site.visits().iter().all(|visit| !visit.posts("tools/call")));
}

#[test]
fn keys_change_and_stay_while_the_issuer_is_away() {
    let issued = Issued::new("oauth");
    issued.issuer.answer("/keys", 503, "");
    assert_eq!(issued.status(&issued.token()), 503, "nobody could look");
    issued.issuer.answer("/keys", 0, "");
    // No key was known, so the next try comes sooner than for an unknown one.
    while issued.status(&issued.token()) == 503 {
        std::thread::yield_now();
    }
    assert_eq!(issued.status(&issued.token()), 200);
    issued.issuer.answer("/keys", 503, "");
    let bob = issued.key.token(&issued.claims_with("sub", json!("bob")));
    assert_eq!(issued.status(&bob), 200, "with the keys that it had");
    let fetched = issued.fetched_keys();
    for number in 0..20 {
        let unknown = SigningKey::p256(&format!("made-up-{number}")).token(&issued.claims());
        assert_eq!(issued.status(&unknown), 401);
    }
    assert!(issued.fetched_keys() <= fetched + 1, "{} and {fetched}", issued.fetched_keys());
}

#[test]
fn the_issuer_is_asked_about_a_token_that_is_no_jwt() {
    let issued = Issued::new("oauth");
    issued.issuer.say_of("opaque-1", issued.claims());
    assert_eq!(issued.names("opaque-1"), ["one__greet"]);
    issued.issuer.say_of("opaque-2", issued.claims_with("aud", json!("https://other.example")));
    assert_eq!(issued.status("opaque-2"), 401);
    assert_eq!(issued.status("opaque-3"), 401);
    assert_eq!(issued.issuer.visits("/introspect").len(), 3, "each once");
    issued.issuer.answer("/introspect", 500, "");
    assert_eq!(issued.status("opaque-4"), 503);
}

/// How a token begins says who looks at it.
#[test]
fn with_both_each_kind_is_looked_at_by_its_own_and_by_nobody_else() {
    let issued = Issued::new("both");
    let ours = issued.gate.token().to_owned();
    assert!(issued.names(&ours).contains(&"one__greet".to_owned()));
    assert_eq!(issued.names(&issued.token()), ["one__greet"]);
    let made_up = "tgt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    issued.issuer.say_of(made_up, issued.claims());
    assert_eq!(issued.status(made_up), 401);
    assert!(issued.issuer.visits("/introspect").is_empty(), "it says that it is ours");
}

/// A server that is configured for it gets a token of its own for each caller, and never the caller's.
#[test]
fn a_server_gets_what_a_callers_token_is_exchanged_for() {
    let issued = Issued::with("oauth", |issuer| {
        format!(
            "oauth = {{ grant = \"token_exchange\", token_url = \"{issuer}/token\", \
             client_id = \"gate\", client_secret = \"${{GATE_SECRET}}\", \
             resource = \"https://upstream.example\" }}"
        )
    });
    let bob = issued.key.token(&issued.claims_with("sub", json!("bob")));
    let alice = issued.token();
    let call = json!({"name": "one__greet", "arguments": {}});
    for token in [&alice, &bob, &alice, &bob] {
        let answer = issued.gate.ask_with(token, "tools/call", call.clone());
        assert_eq!(answer["result"]["content"][0]["text"], "good morning", "{answer}");
    }
    let exchanges = issued.issuer.visits("/token");
    assert_eq!(exchanges.len(), 2, "one for each caller: {exchanges:?}");
    for (visit, subject) in exchanges.iter().zip([alice, bob]) {
        assert_eq!(visit.fields["subject_token"], subject);
        assert_eq!(visit.fields["resource"], "https://upstream.example");
    }
    let called = issued.site.visits().into_iter().filter(|visit| visit.posts("tools/call"));
    let shown: Vec<String> = called.map(|visit| visit.header("authorization").to_owned()).collect();
    let (alice, bob) = ("Bearer exchanged-1-for-alice", "Bearer exchanged-2-for-bob");
    assert_eq!(shown, [alice, bob, alice, bob]);
}

/// The caller's token is for the gate: no server, log, record or file has it.
///
/// Shows: S1-85.
#[test]
fn the_token_of_a_caller_goes_nowhere() {
    let issued = Issued::new("both");
    let token = issued.token();
    let refused = SigningKey::p256("k1").token(&issued.claims());
    issued.issuer.say_of("opaque-canary-7", issued.claims());
    for token in [token.as_str(), "opaque-canary-7"] {
        let call = json!({"name": "one__greet", "arguments": {}});
        issued.gate.ask_with(token, "tools/call", call);
        issued.gate.ask_with(token, "tools/call", json!({"name": "one__none", "arguments": {}}));
    }
    assert_eq!(issued.status(&refused), 401);
    let signatures = [&token, &refused].map(|token| token.rsplit('.').next().unwrap().to_owned());
    let mut seen = String::new();
    for visit in issued.site.visits() {
        seen.push_str(&format!("{:?} {}\n", visit.headers, visit.body));
    }
    assert!(seen.contains("tools/call"), "the server was called");
    seen.push_str(&issued.world.run(&["audit", "--json"]).ok().stdout);
    let Issued { world, gate, .. } = issued;
    seen.push_str(&gate.end().stderr);
    seen.push_str(&everything_in(&world.home()));
    for canary in [&signatures[0], &signatures[1], "opaque-canary-7", "gate-secret"] {
        assert!(!seen.contains(canary), "{canary}");
    }
    assert!(seen.contains("a caller was refused"), "the log was looked at");
}

fn everything_in(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => all.push_str(&everything_in(&entry.path())),
            kind if kind.is_file() => {
                all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap()));
            }
            _ => {}
        }
    }
    all
}
