//! What each scenario wants a client to do; the suite's own pages say it in prose.

use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolgate_guard::AllowEverything;
use toolgate_types::{
    Asker as _, InputQuestion, InputRequired, Operation, OperationOutcome, QuestionAnswer,
    QuestionKind, RetryAnswers, ServerId, ServerQuestion,
};
use toolgate_upstream::{FetchedList, OperationOptions, PageLimits, UpstreamConnection};
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::{ListMethod, ObjectSplice, RawObject, SpliceValue as Member};

use crate::entry::Failure;
use crate::person::{Person, made_up};

/// More rounds of questions than any scenario has.
const ROUNDS: usize = 5;
const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) struct Scenario<'a> {
    pub(crate) connection: &'a UpstreamConnection,
    pub(crate) person: &'a Person,
    pub(crate) name: &'a str,
}

impl Scenario<'_> {
    pub(crate) async fn play(&self, context: Option<&str>) -> Result<(), Failure> {
        let tools = self.list(ListMethod::Tools).await?;
        match self.name {
            "initialize" | "request-metadata" | "json-schema-ref-no-deref" => Ok(()),
            "tools_call"
            | "elicitation-sep1034-client-defaults"
            | "sse-retry"
            | "sep-2322-client-request-state"
            | "http-invalid-tool-headers" => self.call_each(&tools).await,
            "http-standard-headers" => {
                self.call_each(&tools).await?;
                self.read_each().await
            }
            "http-custom-headers" => {
                let context: Value = serde_json::from_str(context.ok_or("no context was given")?)?;
                let calls = context.get("toolCalls").and_then(Value::as_array);
                for call in calls.ok_or("the context names no calls")? {
                    let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
                    let arguments = to_raw_value(&call["arguments"])?;
                    self.call(definition(&tools, name)?, name, &arguments).await?;
                }
                Ok(())
            }
            "json-schema-2020-12-preservation" => {
                let seen = RawObject::parse(definition(&tools, "json_schema_2020_12_tool")?)?;
                let mut arguments = ObjectSplice::new();
                let schema = seen.get("inputSchema").ok_or("the tool has no schema")?;
                arguments.set("schema", Member::Raw(schema));
                let echo = "json_schema_echo";
                self.call(definition(&tools, echo)?, echo, &arguments.to_raw()?).await
            }
            unknown => Err(format!("nobody wrote what to do for `{unknown}`").into()),
        }
    }

    async fn list(&self, kind: ListMethod) -> Result<FetchedList, Failure> {
        Ok(self.connection.list(kind, PageLimits::default()).await?)
    }

    /// Calls every tool that may be called, with arguments that its schema asks for.
    async fn call_each(&self, tools: &FetchedList) -> Result<(), Failure> {
        for (name, tool) in &tools.items {
            let whole: Value = serde_json::from_str(tool.get())?;
            let fields = whole.pointer("/inputSchema/properties").and_then(Value::as_object);
            let arguments: Map<String, Value> = fields
                .into_iter()
                .flatten()
                .filter_map(|(name, field)| Some((name.clone(), made_up(field)?)))
                .collect();
            if param_headers(tool).is_ok() {
                self.call(tool, name, &to_raw_value(&arguments)?).await?;
            }
        }
        Ok(())
    }

    async fn read_each(&self) -> Result<(), Failure> {
        for (uri, _) in self.list(ListMethod::Resources).await?.items {
            self.perform(Operation::ReadResource { uri }, None, None).await?;
        }
        for (name, _) in self.list(ListMethod::Prompts).await?.items {
            self.perform(Operation::GetPrompt { name: name.into(), arguments: None }, None, None)
                .await?;
        }
        Ok(())
    }

    /// One call, asked again with answers as often as the server wants it.
    async fn call(&self, tool: &RawValue, name: &str, arguments: &RawValue) -> Result<(), Failure> {
        let tool = RawObject::parse(tool)?;
        let mut retry = None;
        for _ in 0..ROUNDS {
            let name = name.into();
            let called = Operation::CallTool { name, arguments: Some(arguments.to_owned().into()) };
            let outcome = self.perform(called, tool.get("inputSchema"), retry.as_ref()).await?;
            let OperationOutcome::InputRequired(InputRequired { questions, state, .. }) = outcome
            else {
                return Ok(());
            };
            let mut responses = Vec::new();
            for InputQuestion { key, kind, params } in questions {
                responses.push((key, self.answer(kind, params).await?));
            }
            retry = Some(RetryAnswers { responses, state, approval: None });
        }
        Err("the server never had enough answers".into())
    }

    async fn perform(
        &self,
        operation: Operation,
        input_schema: Option<&RawValue>,
        retry: Option<&RetryAnswers>,
    ) -> Result<OperationOutcome, Failure> {
        let permitted = AllowEverything::insecure_no_policy().permit(operation);
        let manner = OperationOptions { retry, input_schema, ..OperationOptions::within(TIMEOUT) };
        Ok(self.connection.perform(&permitted, manner).await?)
    }

    async fn answer(
        &self,
        kind: Option<QuestionKind>,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, Failure> {
        let kind = kind.filter(|kind| self.person.answers(*kind));
        let kind = kind.ok_or("the server asks for what was never offered")?;
        let question = ServerQuestion { server: ServerId::parse("peer")?, kind, params };
        match self.person.ask(question).await {
            QuestionAnswer::Answered(answer) => Ok(answer),
            _ => Err("the question cannot be read".into()),
        }
    }
}

fn definition<'l>(tools: &'l FetchedList, name: &str) -> Result<&'l RawValue, Failure> {
    let found = tools.items.iter().find(|(own, _)| own == name);
    Ok(&found.ok_or_else(|| format!("the server has no tool `{name}`"))?.1)
}

/// Which arguments go into headers; an error for a tool that must be left alone.
fn param_headers(tool: &RawValue) -> Result<ParamHeaders, Failure> {
    let tool = RawObject::parse(tool)?;
    match tool.get("inputSchema") {
        Some(schema) => Ok(ParamHeaders::from_schema(schema)?),
        None => Ok(ParamHeaders::NONE),
    }
}
