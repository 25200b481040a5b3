//! What a test kills: a host that calls one tool again and again, each call written down first. The
//! server says on standard error when a call has reached it.

#![allow(clippy::unwrap_used, reason = "clippy.toml exempts tests, not what they start")]

use std::path::PathBuf;
use std::sync::Arc;

use toolgate_config::{LoadOptions, load};
use toolgate_host::{Call, CallTarget, Guard, Host};
use toolgate_store::{SqliteStore, Store};
use toolgate_testkit::{Act, Script};
use toolgate_types::ServerId;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    let calls: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut options = LoadOptions::new(&folder);
    let text = r#"{"servers":{"repo":{"transport":"builtin","approval":"approve"}}}"#;
    options.overrides = Some(serde_json::from_str(text).unwrap());
    let config = load(&options).config;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder).unwrap());
    let script = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::complain("started ${n}"), Act::say("done")]);
    let (repo, log) = (ServerId::parse("repo").unwrap(), Arc::clone(&store));
    let host = Host::builder()
        .config(config)
        .guard(Guard::default())
        .builtin(repo.clone(), Arc::new(move || script.clone().over_pipe().0))
        .store(store)
        .audit(log)
        .build();
    for _ in 0..calls {
        host.call(Call::new(CallTarget::exact(repo.clone(), "t"))).await.unwrap();
    }
    host.close_all().await;
}
