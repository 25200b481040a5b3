//! Tools of the embedding program: the example in `examples/own_tools.rs`, and what holds for them.

use std::process::Command;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_host::{
    ApprovalMode, Call, CallError, CallOptions, CallTarget, Code, Host, OutputPart, Tool,
    ToolOutput,
};
use toolgate_types::config::Config;
use toolgate_types::{Acceptances, Caller, OperationOutcome, Principal};

use crate::gate::{id, json, peer_path, within};

/// Gives back what it was given, or waits for ever.
struct Echo(Box<RawValue>);

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn description(&self) -> &str {
        "Says it again."
    }

    fn parameters(&self) -> &RawValue {
        &self.0
    }

    async fn call(&self, arguments: Box<RawValue>) -> Result<ToolOutput, CallError> {
        Ok(ToolOutput { is_error: false, parts: vec![OutputPart::Json(arguments)] })
    }

    async fn call_for(
        &self,
        caller: &Principal,
        arguments: Box<RawValue>,
    ) -> Result<ToolOutput, CallError> {
        if !arguments.get().contains("whom") {
            return self.call(arguments).await;
        }
        let parts = vec![OutputPart::Text(caller.to_string())];
        Ok(ToolOutput { is_error: false, parts })
    }
}

fn host(approval: ApprovalMode) -> Host {
    let schema = json(r#"{"type":"object","required":["a"]}"#);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Echo(schema))];
    Host::builder().own_tools(id("own"), approval, tools).build()
}

async fn only(host: &Host) -> Arc<dyn Tool> {
    let mut tools = within(host.tools()).await;
    tools.retain(|tool| tool.origin().is_some_and(|of| of.provider == "own"));
    assert_eq!(tools.len(), 1);
    tools.remove(0)
}

#[test]
fn a_program_adds_its_own_tools() {
    let mut program = Command::new(peer_path().with_file_name("own_tools"));
    let output = program.env_clear().args([r#"{"text":"one two three"}"#, "{}"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complained = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}{complained}");
    assert!(lines[0].contains("count_words") && lines[0].ends_with(": 3 words"), "{said}");
    assert!(lines[1].contains("invalid_argument") && lines[1].contains("text"), "{said}");
}

#[tokio::test]
async fn they_are_called_as_any_servers_tools_are() {
    let host = host(ApprovalMode::Approve);
    let tool = only(&host).await;
    assert_eq!(tool.origin().map(|origin| origin.provider.as_str()), Some("own"));
    let output = within(tool.call(json(r#"{"a":1.50}"#))).await.unwrap();
    assert_eq!(output.text().lines().next(), Some(r#"{"a":1.50}"#));
    let refused = within(tool.call(json("{}"))).await.unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument);
    host.close_all().await;
}

#[tokio::test]
async fn a_person_is_asked_as_the_program_says_and_a_reload_keeps_them() {
    let host = host(ApprovalMode::Prompt);
    let refused = within(only(&host).await.call(json(r#"{"a":1}"#))).await.unwrap_err();
    assert_eq!(refused.code, Code::PermissionDenied, "nobody can be asked: {refused:?}");
    within(host.reload(&Config::default(), &Acceptances::default(), None)).await;
    let origin = only(&host).await.origin().map(|origin| origin.name.clone());
    assert_eq!(origin.as_deref(), Some("echo"));
    host.close_all().await;
}

/// Whatever a caller says in its own words.
#[tokio::test]
async fn they_are_told_who_calls() {
    let host = host(ApprovalMode::Approve);
    for name in ["token:a", "token:b"] {
        let caller = Caller::new(Principal::named(name), "/");
        let meta = Some(json(r#"{"toolgate/principal":"token:c"}"#));
        let options = CallOptions { caller: Some(caller.into()), meta, ..CallOptions::default() };
        let target = CallTarget::exact(id("own"), "echo");
        let call = Call::new(target).arguments(json(r#"{"a":"whom"}"#)).options(options);
        let OperationOutcome::Done(done) = within(host.call(call)).await.unwrap() else {
            panic!("it asks nobody");
        };
        let said = done.result.get();
        assert!(said.contains(name) && !said.contains("token:c"), "{said}");
    }
    host.close_all().await;
}
