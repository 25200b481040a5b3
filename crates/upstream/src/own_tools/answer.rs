//! What a server of our own answers to a request.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{OutputPart, Principal, Tool, ToolOutput};
use toolgate_wire::{ErrorCode, method};

use super::messages::{CallResult, ListedOwnTool, NoMembers, OwnToolsIntroduction, ToolList};
use super::own_answer::{OwnAnswer, absent, parsed, unreadable};
use super::{OwnToolServer, ServedTools, beside_tools};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallParams {
    name: String,
    arguments: Option<Box<RawValue>>,
    #[serde(rename = "_meta")]
    meta: Option<OwnMeta>,
}

/// What the host says of a call, where there is one.
#[derive(Deserialize)]
struct OwnMeta {
    #[serde(rename = "toolgate/principal")]
    principal: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: String,
}

pub(super) async fn answer(
    server: &ServedTools,
    method: &str,
    params: Option<&RawValue>,
) -> OwnAnswer {
    let result = match method {
        method::INITIALIZE => {
            let params: InitializeParams = parsed(params)?;
            to_raw_value(&OwnToolsIntroduction::of(server.own(), &params.protocol_version))
        }
        method::PING => to_raw_value(&NoMembers {}),
        method::TOOLS_LIST => match server {
            ServedTools::Own(own) => {
                let tools = own.tools.iter().map(|tool| ListedOwnTool::of(&**tool)).collect();
                to_raw_value(&ToolList::<ListedOwnTool<'_>> { tools })
            }
            ServedTools::Listed(tools) => {
                let tools = tools.iter().map(|tool| &**tool).collect();
                to_raw_value(&ToolList::<&RawValue> { tools })
            }
        },
        method::TOOLS_CALL => {
            let output = called(server.own(), parsed(params)?).await?;
            to_raw_value(&CallResult::of(&output))
        }
        _ => match server.own() {
            Some(own) => return beside_tools::answer(own, method, params).await,
            None => return Err(absent(method)),
        },
    };
    result.map_err(|error| (ErrorCode::INTERNAL_ERROR, error.to_string()))
}

async fn called(
    server: Option<&OwnToolServer>,
    ToolCallParams { name, arguments, meta }: ToolCallParams,
) -> Result<ToolOutput, (ErrorCode, String)> {
    let tools: &[Arc<dyn Tool>] = server.map_or(&[], |own| &own.tools);
    let Some(tool) = tools.iter().find(|tool| tool.name() == name) else {
        return Err((ErrorCode::INVALID_PARAMS, format!("there is no tool `{name}`")));
    };
    let arguments = arguments.or_else(|| RawValue::from_string("{}".to_owned()).ok());
    let arguments = arguments.ok_or_else(unreadable)?;
    let called = match meta.and_then(|meta| meta.principal) {
        Some(name) => tool.call_for(&Principal::named(name), arguments).await,
        None => tool.call(arguments).await,
    };
    // The model can read this, and do something about it.
    Ok(called.unwrap_or_else(|error| {
        let parts = vec![OutputPart::Text(error.message)];
        ToolOutput { is_error: true, parts }
    }))
}

impl ServedTools {
    fn own(&self) -> Option<&OwnToolServer> {
        match self {
            Self::Own(own) => Some(own),
            Self::Listed(_) => None,
        }
    }
}
