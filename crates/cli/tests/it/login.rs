//! Logging in to a server and out of it, as a person meets it.

mod crashes;
mod leaks;
mod telling;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use toolgate_testkit::web::LoginManners;
use toolgate_testkit::{Act, IdentityFaults, IdentityProvider, Script, Site};

use crate::support::{Ran, Terminal, World, served};

const CANARIES: [&str; 3] = ["access-", "refresh-", "code-"];

struct LoginTry {
    world: World,
    provider: IdentityProvider,
    site: Site,
    _runtime: tokio::runtime::Runtime,
}

impl LoginTry {
    fn new() -> Self {
        Self::of(World::new())
    }

    fn of(world: World) -> Self {
        Self::playing(world, Self::script())
    }

    fn with(script: Script) -> Self {
        Self::playing(World::new(), script)
    }

    fn script() -> Script {
        let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#;
        Script::modern().on("tools/list", [Act::answer(tools)]).on_call("t", [Act::say("done")])
    }

    fn playing(world: World, script: Script) -> Self {
        let (runtime, site) = served(script);
        let provider = runtime.block_on(IdentityProvider::start());
        site.let_in_by(&provider);
        world.server("one", &format!("url = {:?}\napproval = \"approve\"", site.url("/mcp")));
        Self { world, provider, site, _runtime: runtime }
    }

    fn log_in(&self, pastes: bool) -> Ran {
        log_in(&self.world, "one", pastes)
    }

    /// Logs in with more words.
    fn log_in_with(&self, words: &[&str]) -> Ran {
        let all: Vec<&str> =
            ["login", "one", "--no-browser"].iter().chain(words).copied().collect();
        let mut terminal = self.world.at_terminal(&all);
        paste_back(&mut terminal);
        terminal.ended(&self.world)
    }

    fn call(&self) -> Ran {
        self.world.run(&["call", "one", "t"])
    }
}

/// Logs in with `--no-browser`, by what the browser ended on.
pub(crate) fn log_in(world: &World, server: &str, pastes: bool) -> Ran {
    let mut terminal = world.at_terminal(&["login", server, "--no-browser"]);
    match pastes {
        true => paste_back(&mut terminal),
        false => {
            let back = led_back(&mut terminal);
            assert!(get(&back).contains("You are logged in"), "{back}");
        }
    }
    terminal.ended(world)
}

/// What a browser ends on that opens the link which is shown.
fn led_back(terminal: &mut Terminal) -> String {
    terminal.until("or paste the address");
    let text = terminal.text().replace("\r\n", "\n");
    let link = text.lines().find(|line| line.trim().starts_with("http")).unwrap();
    located(&get(link.trim()))
}

/// The same, pasted where the link is shown.
pub(crate) fn paste_back(terminal: &mut Terminal) {
    let back = led_back(terminal);
    terminal.type_in(&format!("{back}\n"));
}

pub(crate) fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let port: u16 = host.rsplit(':').next().unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let asked = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn located(answer: &str) -> String {
    let to = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    to.trim().to_owned()
}

fn holds_no_secret(ran: &Ran) {
    for canary in CANARIES {
        let shown = format!("{}{}", ran.stdout, ran.stderr);
        // The link itself asks for a code and has none.
        let shown = shown.replace("code_challenge", "").replace("response_type=code", "");
        assert!(!shown.contains(canary), "{canary}: {shown}");
    }
}

/// Shows: S0-8, S1-4, E-2. A server that wants a login says so and names the command; after it the next call works;
/// after a logout it does not.
#[test]
fn a_person_logs_in_calls_and_logs_out() {
    for pastes in [true, false] {
        let login = LoginTry::new();
        let refused = login.call().fails_with(3);
        assert!(refused.stderr.contains("toolgate login one"), "{refused:#?}");
        assert!(login.world.run(&["auth", "list"]).ok().stdout.contains("no logins"));
        let ran = login.log_in(pastes).ok();
        assert!(ran.stdout.contains("logged in to one"), "{ran:#?}");
        assert!(login.call().ok().stdout.contains("done"));
        let listed = login.world.run(&["auth", "list"]).ok();
        assert!(listed.stdout.contains("renewed by itself until"), "{listed:#?}");
        holds_no_secret(&listed);
        holds_no_secret(&login.world.run(&["auth", "list", "--json"]).ok());
        let out = login.world.run(&["logout", "one"]).ok();
        assert!(out.stderr.contains("the server ended the login too"), "{out:#?}");
        assert_eq!(login.provider.visits("/revoke").len(), 2);
        login.call().fails_with(3);
    }
}

/// Shows: S1-33. Whoever calls at a terminal is offered the login then and there, and the call goes on;
/// who does not want it is told the command, as without a terminal.
#[test]
fn a_call_at_a_terminal_offers_the_login_and_goes_on() {
    let login = LoginTry::new();
    let mut terminal = login.world.at_terminal(&["call", "one", "t"]);
    terminal.until("log in now? [y/N]");
    terminal.type_in("n\n");
    let refused = terminal.ended(&login.world).fails_with(3);
    assert!(refused.stdout.contains("toolgate login one"), "{refused:#?}");
    let mut terminal = login.world.at_terminal(&["call", "one", "t"]);
    terminal.until("log in now? [y/N]");
    terminal.type_in("y\n");
    terminal.until("open it in your browser?");
    terminal.type_in("n\n");
    paste_back(&mut terminal);
    let ran = terminal.ended(&login.world).ok();
    assert!(ran.stdout.contains("done"), "{ran:#?}");
}

/// Shows: S1-94, S1-93. An expired token is renewed; a refused refresh token ends the login and says what to do.
#[test]
fn an_expired_token_is_renewed_and_a_revoked_login_is_told() {
    let login = LoginTry::new();
    login.log_in(true).ok();
    login.provider.expire_tokens();
    assert!(login.call().ok().stdout.contains("done"));
    login.provider.expire_tokens();
    login.provider.revoke_logins();
    let refused = login.call().fails_with(3);
    assert!(refused.stderr.contains("toolgate login one"), "{refused:#?}");
    let listed = login.world.run(&["auth", "list"]).ok();
    assert!(listed.stdout.contains("over"), "{listed:#?}");
    login.log_in(true).ok();
    login.call().ok();
}

/// Shows: S1-35. Without metadata there is nothing to log in to, and the hint is another.
#[test]
fn a_server_that_publishes_nothing_gets_a_plain_error() {
    let (_runtime, site) = served(Script::modern());
    let world = World::new();
    world.server("one", &format!("url = {:?}", site.url("/keyed")));
    for arguments in [&["test", "one"][..], &["call", "one", "t"], &["tools", "--server", "one"]] {
        let ran = world.run(arguments).fails_with(3);
        assert!(ran.stderr.contains("offers no login"), "{ran:#?}");
        assert!(ran.stderr.contains("headers.Authorization"), "{ran:#?}");
        assert!(!ran.stderr.contains("toolgate login"), "{ran:#?}");
    }
}

/// A browser that writes down what it was started with, and does what its link says.
const BROWSER: &str = r#"#!/bin/sh
echo "$#" "$@" > "$HOME/opened.new"
mv "$HOME/opened.new" "$HOME/opened"
"#;

/// Shows: S1-93. The browser is opened after a yes and not before; whatever an authorization server puts
/// into its address is one argument, which no shell reads and which is no option.
#[test]
fn urls_into_a_shell_the_browser_is_given_one_argument_after_a_yes() {
    use std::os::unix::fs::PermissionsExt as _;
    for says_yes in [false, true] {
        let world = World::new().with("DISPLAY", ":0");
        let browser = world.write("home/bin/xdg-open", BROWSER);
        std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o700)).unwrap();
        let path = format!("{}:/usr/bin:/bin", world.home().join("bin").display());
        let login = LoginTry::of(world.with("PATH", &path));
        let hostile = "{origin}/authorize?a=$(touch%20pwned);touch pwned&b='`touch pwned`' --x";
        let endpoints = [("authorization_endpoint".to_owned(), hostile.to_owned())].into();
        login.provider.with_faults(IdentityFaults { endpoints, ..IdentityFaults::default() });
        let mut terminal = login.world.at_terminal(&["login", "one"]);
        terminal.until("open it in your browser?");
        assert!(!login.world.exists("home/opened"));
        terminal.type_in(if says_yes { "y\n" } else { "n\n" });
        terminal.until("or paste the address");
        let text = terminal.text().replace("\r\n", "\n");
        let link = text.lines().find(|line| line.trim().starts_with("http")).unwrap().trim();
        if says_yes {
            while !login.world.exists("home/opened") {
                std::thread::yield_now();
            }
            assert_eq!(login.world.read("home/opened").trim(), format!("1 {link}"));
        }
        let page = get(&located(&get(link)));
        assert!(page.contains("You are logged in"), "{page}");
        terminal.ended(&login.world).ok();
        assert_eq!(login.world.exists("home/opened"), says_yes);
        for place in ["project/pwned", "home/pwned"] {
            assert!(!login.world.exists(place), "{place}");
        }
    }
}

/// A server that wants more for some calls says so; the next login asks for it, and one that refuses what it
/// granted sends nobody to log in again.
#[test]
fn what_a_call_lacks_is_asked_for_once() {
    let login = LoginTry::new();
    let wants = |scope: &str| LoginManners {
        scopes: vec![("tools/call".to_owned(), scope.to_owned())],
        ..LoginManners::default()
    };
    login.site.let_in_so(&login.provider, wants("write"));
    login.log_in(true).ok();
    let refused = login.call().fails_with(3);
    assert!(refused.stderr.contains("toolgate login one"), "{refused:#?}");
    login.log_in(true).ok();
    assert!(login.call().ok().stdout.contains("done"));
    // Granted by its word, and refused all the same.
    login.site.let_in_so(&login.provider, wants("admin"));
    login.call().fails_with(3);
    let answer = r#"{"access_token":"access-x","token_type":"Bearer","scope":"write admin"}"#;
    let token_answer = Some((200, answer.to_owned()));
    login.provider.with_faults(IdentityFaults { token_answer, ..IdentityFaults::default() });
    login.provider.grant("access-x", "write");
    login.log_in(true).ok();
    let refused = login.call();
    assert_ne!(refused.code, 0, "{refused:#?}");
    assert_ne!(refused.code, 3, "{refused:#?}");
    assert!(!refused.stderr.contains("toolgate login"), "{refused:#?}");
}

/// Shows: S1-33, S3-19. Whoever calls is told whether there is no token or one that is over, and which
/// command leads on.
#[test]
fn a_call_says_whether_the_token_is_missing_or_over() {
    let login = LoginTry::new();
    let missing = login.call().fails_with(3);
    assert!(missing.stderr.contains("there is no token for it"), "{missing:#?}");
    assert!(missing.stderr.contains("toolgate login one"), "{missing:#?}");
    login.log_in(true).ok();
    login.call().ok();
    login.provider.expire_tokens();
    login.provider.revoke_logins();
    let over = login.call().fails_with(3);
    assert!(over.stderr.contains("its token has expired or was refused"), "{over:#?}");
    assert!(over.stderr.contains("toolgate login one"), "{over:#?}");
    assert!(!over.stderr.contains("invalid_grant"), "{over:#?}");
    let json = login.world.run(&["call", "one", "t", "--json"]).fails_with(3);
    assert_eq!(json.json()["error"]["code"], "unauthenticated", "{json:#?}");
}

/// Shows: S4-25. Where nobody can be registered by themselves, that is another state, with what to do.
#[test]
fn a_server_that_needs_a_registration_says_so() {
    let login = LoginTry::new();
    let faults = IdentityFaults { without_registration: true, ..IdentityFaults::default() };
    login.provider.with_faults(faults);
    let refused = login.call().fails_with(3);
    assert!(refused.stderr.contains("needs registration"), "{refused:#?}");
    assert!(refused.stderr.contains("oauth.client_id"), "{refused:#?}");
    let checked = login.world.run(&["list", "--check"]);
    assert!(checked.stdout.contains("registration needed"), "{checked:#?}");
}

#[test]
fn accounts_are_kept_apart_and_told() {
    let login = LoginTry::new();
    let ran = login.log_in_with(&["--account", "work"]).ok();
    assert!(ran.stdout.contains("logged in to one as work"), "{ran:#?}");
    // Without a folder that means it, it is another account.
    login.call().fails_with(3);
    let project = login.world.project().display().to_string();
    let before = login.world.read(World::GLOBAL);
    let meant = format!("{before}oauth = {{ account_for = {{ {project:?} = \"work\" }} }}\n");
    login.world.replace(World::GLOBAL, &meant);
    assert!(login.call().ok().stdout.contains("done"));
    let listed = login.world.run(&["auth", "list"]).ok();
    assert!(listed.stdout.contains("work"), "{listed:#?}");
    assert!(listed.stdout.contains("file"), "no keyring answers here: {listed:#?}");
    // A project does not choose among a person's accounts.
    let theirs = format!(
        "[servers.two]\nurl = \"https://two.example/mcp\"\noauth = {{ account_for = {{ {project:?} = \"work\" }} }}\n"
    );
    login.world.write("project/toolgate.toml", &theirs);
    let checked = login.world.run(&["config", "check"]);
    assert!(checked.stdout.contains("a project cannot set `account_for`"), "{checked:#?}");
}

#[test]
fn a_login_at_a_server_that_is_not_configured_any_more_can_be_ended() {
    let login = LoginTry::new();
    login.log_in(true).ok();
    login.world.replace(World::GLOBAL, "");
    let out = login.world.run(&["logout", "one"]).ok();
    assert!(out.stdout.contains("logged out of one"), "{out:#?}");
    assert!(out.stderr.contains("the server ended the login too"), "{out:#?}");
    assert_eq!(login.provider.visits("/revoke").len(), 2);
    assert!(login.world.run(&["auth", "list"]).ok().stdout.contains("no logins"));
    login.world.run(&["logout", "one"]).fails_with(1);
}

/// The code is shown with nothing hidden in it; no browser and no address are needed.
#[test]
fn a_code_to_type_in_elsewhere_logs_in() {
    let login = LoginTry::new();
    let device = Some(Vec::new());
    login.provider.with_faults(IdentityFaults { device, ..IdentityFaults::default() });
    let mut terminal = login.world.at_terminal(&["login", "one", "--device"]);
    terminal.until("type in the code");
    terminal.until("/type-it-in");
    let ran = terminal.ended(&login.world).ok();
    assert!(ran.stdout.contains("logged in to one"), "{ran:#?}");
    assert!(!ran.stdout.contains("\u{1b}MJHT"), "{ran:#?}");
    assert!(login.call().ok().stdout.contains("done"));
    // Who wants no browser is told of it.
    let shown = login.log_in_with(&[]);
    assert!(shown.stdout.contains("--device"), "{shown:#?}");
}

/// Shows: S4-33. A browser that cannot be opened is told, and the login goes on.
#[test]
fn it_is_said_when_no_browser_opens() {
    let login = LoginTry::new();
    let mut terminal = login.world.at_terminal(&["login", "one"]);
    terminal.until("open it in your browser?");
    terminal.type_in("y\n");
    terminal.until("no browser could be opened");
    let text = terminal.text().replace("\r\n", "\n");
    let link = text.lines().find(|line| line.trim().starts_with("http")).unwrap();
    assert!(get(&located(&get(link.trim()))).contains("You are logged in"));
    terminal.ended(&login.world).ok();
}

/// Shows: S4-12, S4-39, C16. A login that is kept is tried first; where there is none to be had, a token from
/// a variable does, or a header, or nothing at all.
#[test]
fn a_login_is_tried_first_and_else_what_the_entry_says() {
    let login = LoginTry::new();
    login.log_in(true).ok();
    let before = login.site.visits().len();
    login.call().ok();
    let first = login.site.visits().into_iter().nth(before).unwrap();
    assert!(first.header("authorization").starts_with("Bearer access-"), "{first:?}");

    let script = || Script::modern().on("tools/list", [Act::answer(r#"{"tools":[]}"#)]);
    let (_runtime, keyed) = served(script());
    keyed.let_in_only("key-of-a-variable");
    let (_other_runtime, open) = served(script());
    let world = World::new().with("ONE_TOKEN", "key-of-a-variable");
    let url = keyed.url("/mcp");
    world.server(
        "variable",
        &format!("url = {url:?}\napproval = \"approve\"\nbearer_token_env = \"ONE_TOKEN\""),
    );
    world.server("header", &format!("url = {url:?}\napproval = \"approve\"\nheaders = {{ Authorization = \"Bearer key-of-a-variable\" }}"));
    world.server("open", &format!("url = {:?}\napproval = \"approve\"", open.url("/mcp")));
    for server in ["variable", "header", "open"] {
        let ran = world.run(&["test", server]).ok();
        assert!(ran.stdout.contains("ok:"), "{ran:#?}");
    }
    assert!(open.visits().iter().all(|visit| visit.header("authorization").is_empty()));
}
