//! A server that wants a login, the authorization server that it names, and a person who logs in.

use serde::Deserialize;
use toolgate_testkit::web::LoginManners;
use toolgate_testkit::{Act, IdentityFaults, IdentityProvider, Script, Site};
use url::Url;

use super::expected::Seen;
use super::stage::Stage;
use crate::login::{get, located};
use crate::support::{Ran, World, served};

/// What is wrong with them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HostileLogin {
    provider: IdentityFaults,
    server: LoginManners,
}

pub(super) struct LoginSite {
    provider: IdentityProvider,
    _site: Site,
    _runtime: tokio::runtime::Runtime,
}

impl LoginSite {
    pub(super) fn begin(world: &World, id: &str, login: &HostileLogin) -> Self {
        let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
        let script = Script::modern()
            .on("tools/list", [Act::answer(tools)])
            .on_call("t", [Act::say("done")]);
        let (runtime, site) = served(script);
        let provider = runtime.block_on(IdentityProvider::start());
        provider.with_faults(login.provider.clone());
        site.let_in_so(&provider, login.server.clone());
        world.server(id, &format!("url = {:?}\napproval = \"approve\"", site.url("/mcp")));
        Self { provider, _site: site, _runtime: runtime }
    }
}

/// Logs in without a browser: opens the link where one is shown, and pastes. `{back}` is what the browser
/// was sent back with, `{last}` what it was at the login before, and its parts have their own names.
pub(super) fn log_in(stage: &mut Stage, server: &str, pastes: &[String]) -> Seen {
    let mut terminal = stage.world.at_terminal(&["login", server, "--no-browser"]);
    if terminal.comes("or paste the address") {
        let text = terminal.text().replace("\r\n", "\n");
        let link = text.lines().find(|line| line.trim().starts_with("http")).unwrap().trim();
        let back = located(&get(link));
        let url = Url::parse(&back).unwrap();
        let last = stage.words.insert("back".to_owned(), back.clone()).unwrap_or_default();
        stage.words.insert("last".to_owned(), last);
        let place = back.split('?').next().unwrap_or_default().to_owned();
        stage.words.insert("place".to_owned(), place);
        for (name, value) in url.query_pairs() {
            stage.words.insert(name.into_owned(), value.into_owned());
        }
        for (at, paste) in pastes.iter().enumerate() {
            if at > 0 {
                terminal.until_again("or paste the address");
            }
            terminal.type_in(&format!("{}\n", stage.fill(paste)));
        }
    }
    let Ran { code, stdout, .. } = terminal.ended(&stage.world);
    let tokens = Some(stage.logins[server].provider.visits("/token").len());
    Seen { text: stdout, exit: Some(code), tokens, ..Seen::default() }
}
