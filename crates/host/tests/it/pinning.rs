//! Tools that are not what was accepted of them: what is listed, who is asked, and what the server
//! sees of it. Servers at real ports and real processes, a real database.
//!
//! This file holds what its modules share: an office with one such server, `files`.

mod accepting;
mod changing;
mod locks;
mod second_look;
mod snapshots;
mod untrusted;

use std::sync::Arc;

use tempfile::TempDir;
use toolgate_host::{Call, CallTarget, Pool};
use toolgate_store::{PinKey, Pins as _, SqliteStore};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, Site};
use toolgate_types::config::{ApprovalMode, Config, Server};

use crate::approving::{Says, Shop, asking, caller, options};
use crate::gate::{Gate, id, json, remote, within};

const TOOL: &str = r#"{"name":"read","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"annotations":{"readOnlyHint":true},"x-vendor":{"n":1.0}}"#;

/// The tool with one part replaced by another.
fn with(part: &str, by: &str) -> String {
    let changed = TOOL.replacen(part, by, 1);
    assert_ne!(changed, TOOL, "{part} is not there");
    changed
}

/// A server that has the next of these lists whenever it is asked, and the last one from then on. A
/// call of any tool is answered.
fn in_turn(lists: &[&[&str]]) -> Script {
    let list = |tools: &&[&str]| Act::answer(format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::InTurn(lists.iter().map(list).collect())])
        .on("tools/call", [Act::say("done")])
}

/// A host with the server `files`, a person who is asked, and what is kept between runs.
struct Office {
    shop: Shop,
    site: Site,
    state: TempDir,
    pool: Pool,
}

impl Office {
    /// Whose tools need no approval.
    async fn of(says: Says, lists: &[&[&str]]) -> Self {
        Self::with(says, lists, approved, |_| {}).await
    }

    async fn with(
        says: Says,
        lists: &[&[&str]],
        change: impl FnOnce(&mut Server),
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let site = in_turn(lists).over_http(WebManners::default()).await;
        let state = tempfile::tempdir().unwrap();
        let pool = Pool::default();
        let gate = kept_in(asking(), &state).building(|host| host.pool(pool.clone()));
        let gate = gate.entry("files", remote(&site.url("/mcp")), change).configured(configure);
        Self { shop: Shop::around(says, gate), site, state, pool }
    }

    /// The server says that its tools changed; the next list is another one.
    async fn changes(&self) {
        let events = &self.shop.gate.events;
        let told = |line: &&String| line.starts_with("files changed Tools");
        let before = events.all().iter().filter(told).count();
        let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        self.site.announce(changed);
        events.heard_times("files changed Tools", before + 1).await;
    }

    /// What comes of a call in session `s`.
    async fn call(&self, tool: &str) -> String {
        self.shop.call(call_of(tool)).await
    }

    /// The same where somebody has to be asked: what they read, and what comes of it.
    async fn asked(&self, tool: &str) -> (String, String) {
        let before = self.times();
        let came = self.call(tool).await;
        assert_eq!(self.times(), before + 1, "nobody was asked: {came}");
        (self.shop.asked().await.request.shown.text().to_owned(), came)
    }

    /// How often somebody was asked.
    fn times(&self) -> usize {
        self.shop.person.times()
    }

    /// How often the server was called.
    fn calls(&self) -> usize {
        self.site.visits().iter().filter(|visit| visit.posts("tools/call")).count()
    }

    /// The definitions that are listed, each as it came.
    async fn listed(&self) -> Vec<String> {
        listed(&self.shop).await
    }

    /// The tools that are listed, by their public names; those for resources always are.
    async fn names(&self) -> Vec<String> {
        let tools = within(self.shop.host.tools()).await;
        let names = tools.iter().map(|tool| tool.name().to_owned());
        let is_own =
            |name: &str| ["mcp_resource", "mcp_prompt"].iter().any(|own| name.starts_with(own));
        names.filter(|name| !is_own(name)).collect()
    }

    /// A person accepts these tools as they are now, in another process, which says so.
    async fn accepts(&self, tools: &[&str], named: bool) {
        let tools: Vec<_> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let store = SqliteStore::open(self.state.path()).unwrap();
        let news = store.accept_pins(&key(), &tools, named, 9).await.unwrap();
        assert_eq!(news, tools);
        within(self.pool.pins_changed()).await;
    }
}

/// The pins of `files`, which is in the person's own file.
fn key() -> PinKey {
    PinKey { root: None, server: id("files") }
}

async fn listed(shop: &Shop) -> Vec<String> {
    let view = within(shop.host.list_tools(&toolgate_host::Audience::MODEL)).await;
    let definitions = view.tools().filter_map(|tool| tool.definition());
    definitions.map(|definition| definition.raw.get().to_owned()).collect()
}

/// A gate with a database in this folder.
fn kept_in(gate: Gate, state: &TempDir) -> Gate {
    let store = Arc::new(SqliteStore::open(state.path()).unwrap());
    gate.building(|host| host.store(store))
}

fn approved(server: &mut Server) {
    server.approval = Some(ApprovalMode::Approve);
}

fn call_of(tool: &str) -> Call {
    let call = Call::new(CallTarget::exact(id("files"), tool)).arguments(json(r#"{"path":"a"}"#));
    call.options(options(caller(Some("s"))))
}

/// Each of these is in the text.
#[track_caller]
fn has_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}
