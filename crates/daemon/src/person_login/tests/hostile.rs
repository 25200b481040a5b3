//! A hostile or broken authorization server, or somebody between it and the browser: whatever is wrong,
//! no token is asked for and nothing is kept.

use toolgate_testkit::IdentityFaults;

use super::*;

type FaultChange = fn(&mut IdentityFaults);

type AddressChange = fn(&str) -> String;

fn endpoint(faults: &mut IdentityFaults, name: &str, url: &str) {
    faults.endpoints.insert(name.to_owned(), url.to_owned());
}

/// What an authorization server can do wrong, and a word of what the person is told.
const FAULTS: [(&str, FaultChange, &str); 21] = [
    ("no S256", |it| it.without_s256 = true, "S256"),
    (
        "metadata of another issuer",
        |it| it.issuer = Some("https://evil.example".into()),
        "another issuer",
    ),
    (
        "metadata of an issuer that begins like it",
        |it| it.issuer = Some("http://127.0.0.1".into()),
        "another issuer",
    ),
    ("metadata without end", |it| it.metadata_padding = 1 << 20, "too long"),
    (
        "metadata that is said to be in a cloud",
        |it| it.metadata_redirect = Some("http://169.254.169.254/latest/".into()),
        "publishes nothing",
    ),
    (
        "endpoint in a cloud",
        |it| endpoint(it, "token_endpoint", "http://169.254.169.254/token"),
        "not behind TLS",
    ),
    (
        "registration in a cloud, behind TLS",
        |it| endpoint(it, "registration_endpoint", "https://169.254.169.254/register"),
        "may not reach",
    ),
    (
        "registration in a private network",
        |it| endpoint(it, "registration_endpoint", "https://10.0.0.1/register"),
        "may not reach",
    ),
    (
        "endpoint without TLS",
        |it| endpoint(it, "token_endpoint", "http://login.example/token"),
        "not behind TLS",
    ),
    (
        "a page that is a script",
        |it| endpoint(it, "authorization_endpoint", "javascript:alert(1)"),
        "neither http nor https",
    ),
    (
        "a page that is a file",
        |it| endpoint(it, "authorization_endpoint", "file:///etc/passwd"),
        "neither http nor https",
    ),
    (
        "a page that is an option",
        |it| endpoint(it, "authorization_endpoint", "--new-window=http://a.example"),
        "no URL",
    ),
    (
        "a page that is a command",
        |it| endpoint(it, "authorization_endpoint", "http:$(touch x)"),
        "",
    ),
    (
        "another issuer answers",
        |it| it.answered_issuer = Some("https://evil.example".into()),
        "another issuer",
    ),
    (
        "another spelling of the issuer answers",
        |it| it.answered_issuer = Some("HTTP://127.0.0.1".into()),
        "another issuer",
    ),
    ("no issuer answers", |it| it.forgets_issuer = true, "not name its issuer"),
    ("two issuers answer", |it| it.answered_more = Some("&iss=http://a.example".into()), "twice"),
    ("two codes", |it| it.answered_more = Some("&code=another".into()), "no code"),
    ("a no", |it| it.login_error = Some("access_denied".into()), "access_denied"),
    ("a yes and a no", |it| it.answered_more = Some("&error=server_error".into()), "server_error"),
    ("nobody can be registered", |it| it.without_registration = true, "registered"),
];

async fn refused(faults: IdentityFaults) -> (LoginWorld, String) {
    let world = LoginWorld::new().await;
    world.provider.with_faults(faults);
    let person = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    let told = world.log_in(&person).await.unwrap_err().to_string();
    (world, told)
}

/// Shows: S1-96, E-2. Of a hostile or broken authorization server no token is asked for, and nothing is kept.
#[tokio::test(flavor = "current_thread")]
async fn whatever_is_wrong_no_code_is_redeemed() {
    for (what, change, words) in FAULTS {
        let mut faults = IdentityFaults::default();
        change(&mut faults);
        let (world, told) = refused(faults).await;
        assert!(told.contains(words), "{what}: {told}");
        assert_eq!(world.provider.visits("/token").len(), 0, "{what}");
        assert!(world.logins.login(&world.key()).unwrap().is_none(), "{what}");
    }
}

/// What somebody between the authorization server and the listener can change, piece by piece.
const MUTATIONS: [(&str, AddressChange); 17] = [
    ("state of one letter more", |back| with(back, "state", |old| Some(format!("{old}x")))),
    ("state of one letter less", |back| {
        with(back, "state", |old| Some(old[..old.len() - 1].to_owned()))
    }),
    ("state in capitals", |back| with(back, "state", |old| Some(old.to_uppercase()))),
    ("empty state", |back| with(back, "state", |_| Some(String::new()))),
    ("no state", |back| with(back, "state", |_| None)),
    ("state twice", |back| format!("{back}&state=x")),
    ("another state first", |back| back.replacen('?', "?state=x&", 1)),
    ("iss of another", |back| with(back, "iss", |_| Some("https://evil.example".to_owned()))),
    ("iss with a slash", |back| with(back, "iss", |old| Some(format!("{old}/")))),
    ("iss in capitals", |back| with(back, "iss", |old| Some(old.to_uppercase()))),
    ("no iss", |back| with(back, "iss", |_| None)),
    ("iss twice", |back| format!("{back}&iss=https://evil.example")),
    ("no code", |back| with(back, "code", |_| None)),
    ("empty code", |back| with(back, "code", |_| Some(String::new()))),
    ("redirect to another path", |back| back.replacen("/callback", "/callback/", 1)),
    ("redirect to another host", |back| back.replacen("localhost", "localhost.evil.example", 1)),
    ("redirect behind TLS", |back| back.replacen("http:", "https:", 1)),
];

fn with(back: &str, name: &str, change: fn(&str) -> Option<String>) -> String {
    let mut url = url::Url::parse(back).unwrap();
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    url.query_pairs_mut().clear();
    for (key, value) in pairs {
        let changed = if key == name { change(&value) } else { Some(value) };
        if let Some(changed) = changed {
            url.query_pairs_mut().append_pair(&key, &changed);
        }
    }
    url.into()
}

/// Each mutation of state, issuer and redirect: what is refused as somebody else's leaves the login
/// waiting, the rest ends it, and in no case is a code redeemed.
#[tokio::test(flavor = "current_thread")]
async fn every_mutation_of_an_answer_is_refused_before_a_token_is_asked_for() {
    for (what, mutates) in MUTATIONS {
        let world = LoginWorld::new().await;
        let person =
            ScriptedPerson { pastes: true, mutates: Some(mutates), ..ScriptedPerson::default() };
        let login = world.log_in(&person);
        tokio::pin!(login);
        // Not over: the right answer may still come, and what came was told to be none.
        let is_over = loop {
            tokio::select! {
                biased;
                ended = &mut login => break Some(ended),
                () = tokio::task::yield_now() => {
                    if !person.not_believed.lock().is_empty() {
                        break None;
                    }
                }
            }
        };
        assert!(is_over.is_none_or(|ended| ended.is_err()), "{what}");
        assert_eq!(world.provider.visits("/token").len(), 0, "{what}");
        assert!(world.logins.login(&world.key()).unwrap().is_none(), "{what}");
    }
}

/// PKCE: a code that was given for another attempt's challenge is worth nothing, and the login says so.
#[tokio::test(flavor = "current_thread")]
async fn a_code_of_another_attempt_is_worth_nothing() {
    let world = LoginWorld::new().await;
    let stranger = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    // Somebody else's code, under the state of this login.
    let issuer = world.provider.issuer();
    let query = "redirect_uri=http://localhost/x&code_challenge=theirs&state=s";
    let theirs = get(&format!("{issuer}/authorize?{query}")).await;
    assert!(theirs.contains("code=code-1"), "{theirs}");
    let injected: fn(&str) -> String = |back| with(back, "code", |_| Some("code-1".to_owned()));
    let person = ScriptedPerson { mutates: Some(injected), ..stranger };
    let told = world.log_in(&person).await.unwrap_err().to_string();
    assert!(told.contains("invalid_grant"), "{told}");
    assert!(world.logins.login(&world.key()).unwrap().is_none());
}

/// The state of a login before is nobody's, and its code counts once.
#[tokio::test(flavor = "current_thread")]
async fn an_answer_that_was_used_is_no_answer_to_the_next_login() {
    let world = LoginWorld::new().await;
    let first = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    world.log_in(&first).await.unwrap().unwrap();
    let code = world.provider.visits("/token").remove(0).fields["code"].clone();
    let asked = world.provider.visits("/authorize").remove(0).fields;
    let used = format!("{}?code={code}&state={}", asked["redirect_uri"], asked["state"]);
    let next = ScriptedPerson { pastes: true, first: Some(used), ..ScriptedPerson::default() };
    world.log_in(&next).await.unwrap().unwrap();
    assert_eq!(next.not_believed.lock().len(), 1);
    let redeemed: Vec<String> =
        world.provider.visits("/token").iter().map(|visit| visit.fields["code"].clone()).collect();
    assert_eq!(redeemed.len(), 2);
    assert_ne!(redeemed[0], redeemed[1]);
}

/// Two browsers come back with the same answer: one login, one token request.
#[tokio::test(flavor = "current_thread")]
async fn two_answers_at_once_are_redeemed_once() {
    let world = LoginWorld::new().await;
    let person = ScriptedPerson { twice: true, ..ScriptedPerson::default() };
    world.log_in(&person).await.unwrap().unwrap();
    assert_eq!(world.provider.visits("/token").len(), 1);
}

/// An authorization server that is another than at the login before: the person is told, and nothing that
/// the one before gave goes there.
#[tokio::test(flavor = "current_thread")]
async fn another_authorization_server_than_before_is_told_and_gets_nothing_of_the_one_before() {
    let world = LoginWorld::new().await;
    let first = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    world.log_in(&first).await.unwrap().unwrap();
    let (before, other) = (world.provider.issuer(), IdentityProvider::start().await);
    world.site.let_in_by(&other);
    let next = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
    let login = world.log_in(&next).await.unwrap().unwrap();
    assert_eq!(next.links.lock()[0].1.as_ref(), Some(&before));
    assert_eq!(login.binding.issuer, Some(other.issuer()));
    assert_eq!(other.visits("/register").len(), 1);
    assert_eq!(other.visits("/token").len(), 1);
    assert!(!other.visits("/token")[0].fields.contains_key("refresh_token"));
}

/// Words of a refusal are shown as they are written and interpreted by nobody; those of a refusal under
/// the wrong issuer are not shown at all.
#[tokio::test(flavor = "current_thread")]
async fn words_of_a_refusal_do_no_harm() {
    let words = "<img src=x onerror=alert(1)>\u{1b}[2J\u{202e}";
    let no = IdentityFaults {
        login_error: Some("access_denied".into()),
        login_error_words: Some(words.into()),
        ..IdentityFaults::default()
    };
    let (_, told) = refused(no.clone()).await;
    assert!(told.contains("<img src=x onerror=alert(1)>"), "{told}");
    assert!(!told.contains('\u{1b}') && !told.contains('\u{202e}'), "{told}");
    let wrong = IdentityFaults { answered_issuer: Some("https://evil.example".into()), ..no };
    let (_, told) = refused(wrong).await;
    assert!(!told.contains("img") && !told.contains("access_denied"), "{told}");
}

/// The page that a browser ends on has nothing in it that somebody sent.
#[tokio::test(flavor = "current_thread")]
async fn the_page_of_a_refusal_holds_nothing_that_was_sent() {
    let world = LoginWorld::new().await;
    world.provider.with_faults(IdentityFaults {
        login_error: Some("<script>alert(1)</script>".into()),
        login_error_words: Some("<b>words</b>".into()),
        ..IdentityFaults::default()
    });
    let person = ScriptedPerson::default();
    world.log_in(&person).await.unwrap_err();
    while person.pages.lock().is_empty() {
        tokio::task::yield_now().await;
    }
    let page = person.pages.lock()[0].clone();
    assert!(page.contains("The login did not work"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
    assert!(!page.contains("alert") && !page.contains("<b>"), "{page}");
}

/// A challenge that points elsewhere, or metadata about somebody else: nobody is asked for a login.
#[tokio::test(flavor = "current_thread")]
async fn a_server_cannot_point_its_login_elsewhere() {
    let manners = |points_to: Option<&str>, resource: Option<&str>| LoginManners {
        points_to: points_to.map(str::to_owned),
        resource: resource.map(str::to_owned),
        ..LoginManners::default()
    };
    for (what, manners) in [
        ("metadata in a cloud", manners(Some("http://169.254.169.254/latest/meta-data/"), None)),
        ("metadata of a private network", manners(Some("https://10.0.0.1/metadata"), None)),
        ("a file", manners(Some("file:///etc/passwd"), None)),
        ("another resource", manners(None, Some("https://bank.example/mcp"))),
        ("a path below", manners(None, Some("http://127.0.0.1/mcp/below"))),
    ] {
        let world = LoginWorld::with(manners).await;
        let person = ScriptedPerson { pastes: true, ..ScriptedPerson::default() };
        world.log_in(&person).await.unwrap_err();
        assert_eq!(world.provider.visits("/authorize").len(), 0, "{what}");
        assert_eq!(person.links.lock().len(), 0, "{what}");
    }
}
