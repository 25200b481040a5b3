//! Results against the `outputSchema` that their tools promise.

use std::sync::Arc;

use toolgate_host::{Call, CallTarget};
use toolgate_store::{AuditLog, AuditQuery, SqliteStore};
use toolgate_testkit::{Act, Script};
use toolgate_types::Code;
use toolgate_types::config::{Server, ToolSettings};

use crate::gate::{Gate, Running, id, within};

fn promising() -> Script {
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","outputSchema":{{"type":"object","properties":{{"n":{{"type":"integer"}}}},"required":["n"]}}}}"#
        )
    };
    let names = ["kept", "broken", "missing", "failed"];
    let list = names.map(tool).join(",");
    let answer = |rest: &str| Act::answer(format!(r#"{{"content":[]{rest}}}"#));
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{list}]}}"#))])
        .on_call("kept", [answer(r#","structuredContent":{"n":1}"#)])
        .on_call("broken", [answer(r#","structuredContent":{"n":"hunter2"}"#)])
        .on_call("missing", [answer("")])
        .on_call("failed", [answer(r#","isError":true"#)])
}

async fn call(gate: &Running, tool: &str) -> Result<(), (Code, String)> {
    let call = Call::new(CallTarget::exact(id("one"), tool));
    within(gate.host.call(call)).await.map(|_| ()).map_err(|error| (error.code, error.message))
}

/// Shows: E-7.
#[tokio::test]
async fn a_result_that_breaks_its_promise_passes_with_a_warning_in_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let (kept, log) = (Arc::clone(&store), Arc::clone(&store));
    let gate = Gate::open().server("one", promising());
    let gate = gate.building(|host| host.store(kept).audit(log)).run();
    for tool in ["kept", "broken", "missing", "failed"] {
        call(&gate, tool).await.unwrap();
    }
    gate.host.close_all().await;
    let rows = store.audit(AuditQuery { limit: 100, ..AuditQuery::default() }).await.unwrap();
    let warning = |tool: &str| {
        let mut of_tool = rows.iter().filter(|row| row.entry.tool.as_deref() == Some(tool));
        of_tool.find(|row| row.entry.body.contains("\"warning\"")).map(|row| &row.entry.body)
    };
    assert_eq!((warning("kept"), warning("failed")), (None, None));
    let broken = warning("broken").unwrap();
    assert!(broken.contains("does not fit it at `/n`") && !broken.contains("hunter2"), "{broken}");
    assert!(warning("missing").unwrap().contains("there is no structured content"));
}

/// Shows: E-7.
#[tokio::test(start_paused = true)]
async fn where_an_entry_is_strict_it_is_an_error() {
    let strict = |server: &mut Server| {
        server.strict_output = true;
        let lenient = ToolSettings { strict_output: Some(false), ..ToolSettings::default() };
        server.tool_settings.insert("missing".to_owned(), lenient);
    };
    let gate = Gate::open().server_with("one", promising(), strict).run();
    for fine in ["kept", "failed", "missing"] {
        call(&gate, fine).await.unwrap();
    }
    let (code, why) = call(&gate, "broken").await.unwrap_err();
    assert_eq!(code, Code::Internal);
    assert!(why.contains("did not keep to the `outputSchema`"), "{why}");
}
