//! A world with what the book speaks of: servers by the names it uses, a role, clients of agents, a project.

use std::ops::Deref;

use tokio::runtime::Runtime;
use toolgate_testkit::{Act, IdentityFaults, IdentityProvider, Script, Site};

use crate::daemon::house::{PATIENT_LISTS, house};
use crate::support::{World, peer_path, served};

/// Whether the remote servers want a login.
#[derive(PartialEq, Eq)]
pub(super) enum Logins {
    Wanted,
    Not,
}

pub(super) struct Furnished {
    world: World,
    _remote: (Runtime, Site, Option<IdentityProvider>),
}

impl Furnished {
    pub(super) fn new(logins: Logins) -> Self {
        Self::with_all_but("", logins)
    }

    /// Where the server of this name is still to be added.
    pub(super) fn without(name: &str) -> Self {
        Self::with_all_but(name, Logins::Not)
    }

    /// The project has a server of its own, which nobody accepted yet.
    pub(super) fn brings_a_server(&self) {
        let script = self.world.write("home/notes.json", &playing(&["note"]).to_argument());
        let entry = format!("[servers.notes]\ncommand = {:?}\nargs = [{script:?}]\n", peer_path());
        let keys = "sandbox_profile = \"none\"\nstartup_timeout_ms = 20000\n";
        self.world.write("project/toolgate.toml", &format!("{entry}{keys}"));
    }

    fn with_all_but(name: &str, logins: Logins) -> Self {
        let world = house();
        let settings = "[approval]\nfastest_answer_ms = 0\n[gateway]\nlisten = \"127.0.0.1:0\"\n";
        let role = "[bundles.reading]\nserver = \"files\"\nallow_tools = [\"read_text_file\"]\n\
                    [roles.reviewer]\nbundles = [\"reading\"]\n";
        let role = if name == "files" { "" } else { role };
        world.write(World::GLOBAL, &format!("{PATIENT_LISTS}{settings}{role}"));
        let (runtime, site) = served(playing(&["list_open"]));
        let provider = (logins == Logins::Wanted).then(|| {
            let provider = runtime.block_on(IdentityProvider::start());
            let device = Some(Vec::new());
            provider.with_faults(IdentityFaults { device, ..IdentityFaults::default() });
            site.let_in_by(&provider);
            provider
        });
        let read_only = "tools.read_text_file.approval = \"approve\"";
        let local =
            [("files", playing(&["read_text_file", "write_file"])), ("docs", playing(&["t"]))];
        for (server, script) in local.iter().filter(|(server, _)| *server != name) {
            world.local_with(server, script, if *server == "files" { read_only } else { "" });
        }
        for server in ["tickets", "github"].iter().filter(|server| **server != name) {
            world.server(server, &format!("url = {:?}\napproval = \"approve\"", site.url("/mcp")));
        }
        world.write("home/.codex/config.toml", "[mcp_servers.memory]\ncommand = \"memory\"\n");
        world.write(
            "home/.cursor/mcp.json",
            "{\"mcpServers\":{\"memory\":{\"command\":\"memory\"}}}\n",
        );
        world.write("project/README.md", "what is here\n");
        world.write("project/Makefile", "test:\n\t@echo tested\n");
        Self { world, _remote: (runtime, site, provider) }
    }
}

impl Deref for Furnished {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

/// A server whose tools take a path and say that they are done.
fn playing(tools: &[&str]) -> Script {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    let tool = |name: &&str| format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#);
    let list = tools.iter().map(tool).collect::<Vec<_>>().join(",");
    let script =
        Script::legacy().on("tools/list", [Act::answer(format!(r#"{{"tools":[{list}]}}"#))]);
    tools.iter().fold(script, |script, tool| script.on_call(tool, [Act::say("done")]))
}
