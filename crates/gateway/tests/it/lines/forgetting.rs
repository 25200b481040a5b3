//! A workspace whose hosts are forgotten; what records call a window, and what that is good for.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use http::StatusCode;
use indexmap::IndexMap;
use serde_json::json;
use tokio::sync::{Notify, watch};
use toolgate_gateway::{
    AttachedClient, CallerRefused, CallerVerifier, ConversationEnd, Gateway, GatewaySettings,
    HostMaker, HostedFolder, KNOWN_WITHIN, KnownCaller, NoGatewayWatch, WantedHost,
};
use toolgate_host::{ApprovalQueue, Host, Pool};
use toolgate_store::{AuditLog as _, AuditQuery};
use toolgate_testkit::{Act, Script};
use toolgate_types::Principal;
use toolgate_types::config::{LimitsSection, Naming};

use super::{Window, attached};
use crate::gate::{Gate, list, tools, within};
use crate::roles::house::House;

#[tokio::test]
async fn whoever_is_in_a_forgotten_workspace_has_to_leave_and_finds_new_servers_there() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait", "echo"]))])
        .on_call("echo", [Act::say("echo")])
        .on_call("wait", [Act::hold("wait")]);
    let gate = Gate::with("one", script).workspace("here").run().await;
    let here = || AttachedClient { workspace: Some("here".to_owned()), ..attached() };
    let mut elsewhere = Window::open(&gate).await;
    elsewhere.call(1, "one__echo", json!({})).await;
    let there = gate.peers.last("one").await;
    let mut window = Window::attach(&gate.gateway, here());
    window.initialize("2025-11-25", json!({})).await;
    window.calling(1, "one__wait", json!({})).await;
    let over_http = gate.client_at("/w/here/mcp").initialize().await;
    let mut stream = over_http.get_stream().await;
    gate.peers.started("one", 2).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    within(gate.gateway.forget(Some("here"))).await;
    within(peer.has_ended()).await;
    assert_eq!(stream.event().await, None);
    let reply = over_http.request(json!(1), "tools/list", json!({})).await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND, "its session went too");
    let rest = window.rest().await;
    assert_eq!((rest.len(), &rest[0]["id"]), (1, &json!(1)), "{rest:?}");
    assert!(rest[0]["error"].is_object(), "{rest:?}");
    assert_eq!(window.over().await, ConversationEnd::Forgotten);
    let mut back = Window::attach(&gate.gateway, here());
    back.initialize("2025-11-25", json!({})).await;
    assert!(back.call(1, "one__echo", json!({})).await["result"].is_object());
    gate.peers.started("one", 3).await;
    assert!(elsewhere.call(2, "one__echo", json!({})).await["result"].is_object());
    assert_eq!(there.seen().iter().filter(|line| line.contains("tools/call")).count(), 2);
}

/// Makes hosts; the first one only when it is told to.
struct Slow {
    asked: watch::Sender<usize>,
    go_on: Notify,
}

#[async_trait]
impl HostMaker for Slow {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let mut number = 0;
        self.asked.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        if number == 1 {
            self.go_on.notified().await;
        }
        let host = Host::builder().principal(wanted.principal).build();
        Ok(Some(HostedFolder { host, folder: PathBuf::from("/"), naming: None }))
    }
}

/// What is known of a workspace that changed meanwhile is of no use.
#[tokio::test]
async fn a_host_that_is_forgotten_while_it_is_made_is_made_again() {
    let slow = Arc::new(Slow { asked: watch::Sender::new(0), go_on: Notify::new() });
    let gateway = Gateway::new(GatewaySettings {
        hosts: Arc::clone(&slow) as _,
        callers: Arc::new(Nobody),
        resource: None,
        login_pages: None,
        naming: Naming::default(),
        clients: IndexMap::new(),
        allowed_hosts: Vec::new(),
        allowed_origins: Vec::new(),
        limits: LimitsSection::default(),
        approvals: ApprovalQueue::new(None),
        pool: Pool::default(),
        entrance: toolgate_gateway::ConnectionEntrance::Plain,
        known_within: KNOWN_WITHIN,
        watch: Arc::new(NoGatewayWatch),
    });
    let attaching = {
        let gateway = gateway.clone();
        tokio::spawn(async move { gateway.attach(attached()).await.map(drop) })
    };
    let mut asked = slow.asked.subscribe();
    within(asked.wait_for(|asked| *asked == 1)).await.unwrap();
    gateway.forget(None).await;
    slow.go_on.notify_one();
    assert_eq!(within(attaching).await.unwrap(), Ok(()));
    assert_eq!(*slow.asked.borrow(), 2);
    // The second one is kept.
    assert!(gateway.attach(attached()).await.is_ok());
    assert_eq!(*slow.asked.borrow(), 2);
}

/// Nobody comes over HTTP here.
struct Nobody;

#[async_trait]
impl CallerVerifier for Nobody {
    async fn known(&self, _: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        Err(CallerRefused::Unknown)
    }
}

/// One window is one session, in either era; what it says of itself is only a name for people.
#[tokio::test]
async fn records_name_the_window_that_called() {
    let open = House::new().server("books", tools(&["read", "write"])).open().await;
    let known = |client: Option<&str>| KnownCaller {
        client: client.map(str::to_owned),
        shows_forms: true,
        ..KnownCaller::of(Principal::named("ada"))
    };
    let window = |client| {
        let attached = AttachedClient {
            known: known(client),
            workspace: None,
            role: None,
            requester: Default::default(),
            switches: Default::default(),
            window: None,
        };
        Window::attach(&open.gateway, attached)
    };
    let (mut one, mut other) = (window(None), window(Some("codex")));
    for window in [&mut one, &mut other] {
        window.initialize("2025-11-25", json!({})).await;
        window.call(1, "books__read", json!({})).await;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        window.ask(2, "tools/call", json!({"name": "books__write", "_meta": meta})).await;
    }
    let records = open.records().await;
    let named: Vec<_> = records
        .iter()
        .map(|entry| {
            assert_eq!((&*entry.principal, entry.workspace.as_deref()), ("ada", Some("/folder")));
            (entry.client.as_deref(), entry.session.as_deref().unwrap())
        })
        .collect();
    assert_eq!(named.len(), 4, "{records:?}");
    let clients: Vec<_> = named.iter().map(|(client, _)| *client).collect();
    assert_eq!(clients, [Some("window"), None, Some("codex"), Some("codex")]);
    assert_eq!((named[0].1, named[2].1), (named[1].1, named[3].1));
    assert_ne!(named[0].1, named[2].1);
}

/// Its id is in the records, for whoever may read those.
#[tokio::test]
async fn session_theft_the_session_of_a_window_is_not_there_over_http() {
    let open = House::new().server("books", tools(&["read"])).token("ada", None, None);
    let open = open.open().await;
    let known = KnownCaller { shows_forms: true, ..KnownCaller::of(Principal::named("ada")) };
    let attached = AttachedClient {
        known,
        workspace: None,
        role: None,
        requester: Default::default(),
        switches: Default::default(),
        window: None,
    };
    let mut window = Window::attach(&open.gateway, attached);
    window.initialize("2025-11-25", json!({})).await;
    window.call(1, "books__read", json!({})).await;
    let rows = open.store.audit(AuditQuery { limit: 10, ..AuditQuery::default() }).await.unwrap();
    let session = rows[0].entry.session.clone().unwrap();
    let thief = open.client("ada", "/mcp").header("mcp-session-id", &session);
    for (method, body) in
        [("POST", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), ("GET", ""), ("DELETE", "")]
    {
        assert_eq!(thief.send(method, body).await.status, StatusCode::NOT_FOUND, "{method}");
    }
    assert!(window.call(2, "books__read", json!({})).await["result"].is_object());
}
