//! What each scenario wants a client to do; the suite's own pages say it in prose.

use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use toolgate_types::{Answer, Asker as _, Question, QuestionKind, ServerId};
use toolgate_upstream::{Ask, Connection, Listed, PageLimits};
use toolgate_wire::header::ParamHeaders;
use toolgate_wire::outcome::{INPUT_RESPONSES, REQUEST_STATE, ResultKind};
use toolgate_wire::{ListKind, RawObject, Splice, Value as Member, method};

use crate::entry::Failure;
use crate::person::{Person, made_up};

/// More rounds of questions than any scenario has.
const ROUNDS: usize = 5;
const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) struct Scenario<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) person: &'a Person,
    pub(crate) name: &'a str,
}

impl Scenario<'_> {
    pub(crate) async fn play(&self, context: Option<&str>) -> Result<(), Failure> {
        let tools = self.list(ListKind::Tools).await?;
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
                let mut arguments = Splice::new();
                let schema = seen.get("inputSchema").ok_or("the tool has no schema")?;
                arguments.set("schema", Member::Raw(schema));
                let echo = "json_schema_echo";
                self.call(definition(&tools, echo)?, echo, &arguments.to_raw()?).await
            }
            unknown => Err(format!("nobody wrote what to do for `{unknown}`").into()),
        }
    }

    async fn list(&self, kind: ListKind) -> Result<Listed, Failure> {
        Ok(self.connection.list(kind, PageLimits::default()).await?)
    }

    /// Calls every tool that may be called, with arguments that its schema asks for.
    async fn call_each(&self, tools: &Listed) -> Result<(), Failure> {
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
        for (uri, _) in self.list(ListKind::Resources).await?.items {
            self.request(method::RESOURCES_READ, &json!({ "uri": uri })).await?;
        }
        for (name, _) in self.list(ListKind::Prompts).await?.items {
            self.request(method::PROMPTS_GET, &json!({ "name": name })).await?;
        }
        Ok(())
    }

    async fn request(&self, method: &str, params: &Value) -> Result<(), Failure> {
        let params = to_raw_value(params)?;
        self.connection.request(method, Some(&RawObject::parse(&params)?)).await?;
        Ok(())
    }

    /// One call, asked again with answers as often as the server wants it.
    async fn call(&self, tool: &RawValue, name: &str, arguments: &RawValue) -> Result<(), Failure> {
        let annotated = param_headers(tool)?;
        let mut first = Splice::new();
        first.set("name", Member::text(name)).set("arguments", Member::Raw(arguments));
        let mut params = first.to_raw()?;
        for _ in 0..ROUNDS {
            let ask = Ask {
                method: method::TOOLS_CALL,
                params: Some(&RawObject::parse(&params)?),
                timeout: TIMEOUT,
                ceiling: TIMEOUT,
                annotated: &annotated,
            };
            let result = self.connection.ask(ask, None).await?;
            let result = RawObject::parse(&result)?;
            let ResultKind::InputRequired { requests, state } = ResultKind::of_object(&result)?
            else {
                return Ok(());
            };
            let mut again = first.clone();
            if let Some(requests) = requests {
                again.set(INPUT_RESPONSES, Member::Owned(self.answers(&requests).await?));
            }
            if let Some(state) = state {
                again.set(REQUEST_STATE, Member::Owned(state.to_owned()));
            }
            params = again.to_raw()?;
        }
        Err("the server never had enough answers".into())
    }

    async fn answers(&self, requests: &RawObject<'_>) -> Result<Box<RawValue>, Failure> {
        let mut answers = Splice::new();
        for request in requests.members() {
            let body = RawObject::parse(request.value())?;
            if body.text("method").as_deref() != Some(method::ELICITATION_CREATE) {
                return Err("the server asks for what was never offered".into());
            }
            let params = body.get("params").map(ToOwned::to_owned);
            let server = ServerId::parse("peer")?;
            let question = Question { server, kind: QuestionKind::Elicit, params };
            let Answer::Answered(answer) = self.person.ask(question).await else {
                return Err("the question cannot be read".into());
            };
            let key = request.key().ok_or("a question has no name")?;
            answers.set(key.into_owned(), Member::Owned(answer));
        }
        Ok(answers.to_raw()?)
    }
}

fn definition<'l>(tools: &'l Listed, name: &str) -> Result<&'l RawValue, Failure> {
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
