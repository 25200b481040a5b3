//! The resources and prompts of a server of our own, in the words of the protocol.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{
    OfferedResource, OfferedTemplate, Prompt, PromptArgument, ResourceProvider, ResourceRefusal,
};
use toolgate_wire::{ErrorCode, method};

use super::OwnToolServer;
use super::own_answer::{OwnAnswer, absent, parsed};

#[derive(Deserialize, Default)]
struct ListParams {
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct ReadParams {
    uri: String,
}

#[derive(Deserialize)]
struct PromptParams {
    name: String,
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceList<'a> {
    resources: Vec<OwnResourceRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnResourceRow<'a> {
    uri: &'a str,
    name: &'a str,
    mime_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TemplateList<'a> {
    resource_templates: Vec<OwnTemplateRow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnTemplateRow<'a> {
    uri_template: &'a str,
    name: &'a str,
    title: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
}

#[derive(Serialize)]
struct ReadContents<'a> {
    contents: [TextContents<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TextContents<'a> {
    uri: &'a str,
    mime_type: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct PromptList<'a> {
    prompts: Vec<OwnPromptRow<'a>>,
}

#[derive(Serialize)]
struct OwnPromptRow<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    arguments: Vec<ArgumentRow<'a>>,
}

#[derive(Serialize)]
struct ArgumentRow<'a> {
    name: &'a str,
    description: &'a str,
    required: bool,
}

#[derive(Serialize)]
struct PromptMade<'a> {
    description: &'a str,
    messages: [OwnPromptMessage<'a>; 1],
}

#[derive(Serialize)]
struct OwnPromptMessage<'a> {
    role: &'a str,
    content: PromptWords<'a>,
}

#[derive(Serialize)]
struct PromptWords<'a> {
    r#type: &'a str,
    text: &'a str,
}

pub(super) async fn answer(
    server: &OwnToolServer,
    method: &str,
    params: Option<&RawValue>,
) -> OwnAnswer {
    match (method, &server.resources) {
        (method::PROMPTS_LIST, _) if !server.prompts.is_empty() => {
            let prompts = server.prompts.iter().map(|prompt| OwnPromptRow::of(&**prompt)).collect();
            written(&PromptList { prompts })
        }
        (method::PROMPTS_GET, _) => prompt(server, parsed(params)?).await,
        (method::RESOURCES_LIST, Some(resources)) => listed(&**resources, params).await,
        (method::RESOURCES_TEMPLATES_LIST, Some(resources)) => {
            let templates = resources.templates();
            let resource_templates = templates.iter().map(OwnTemplateRow::of).collect();
            written(&TemplateList { resource_templates })
        }
        (method::RESOURCES_READ, Some(resources)) => {
            let ReadParams { uri } = parsed(params)?;
            let read = resources.read(&uri).await.map_err(refused)?;
            let (uri, mime_type, text) = (&*read.uri, read.mime, &*read.text);
            written(&ReadContents { contents: [TextContents { uri, mime_type, text }] })
        }
        _ => Err(absent(method)),
    }
}

async fn listed(resources: &dyn ResourceProvider, params: Option<&RawValue>) -> OwnAnswer {
    let ListParams { cursor } = match params {
        Some(_) => parsed(params)?,
        None => ListParams::default(),
    };
    let page = resources.list(cursor.as_deref()).await.map_err(refused)?;
    let resources = page.resources.iter().map(OwnResourceRow::of).collect();
    written(&ResourceList { resources, next_cursor: page.next.as_deref() })
}

async fn prompt(server: &OwnToolServer, asked: PromptParams) -> OwnAnswer {
    let unfit = |why: String| (ErrorCode::INVALID_PARAMS, why);
    let PromptParams { name, arguments } = asked;
    let prompt = server.prompts.iter().find(|prompt| prompt.name() == name);
    let prompt = prompt.ok_or_else(|| unfit(format!("there is no prompt `{name}`")))?;
    for PromptArgument { name, required, .. } in prompt.arguments() {
        let is_given = arguments.get(*name).is_some_and(|given| !given.trim().is_empty());
        if *required && !is_given {
            return Err(unfit(format!("`{name}` is needed")));
        }
    }
    let words = prompt.get(&arguments).await.map_err(|refusal| unfit(refusal.to_string()))?;
    let content = PromptWords { r#type: "text", text: &words };
    let messages = [OwnPromptMessage { role: "user", content }];
    written(&PromptMade { description: prompt.description(), messages })
}

fn refused(refusal: ResourceRefusal) -> (ErrorCode, String) {
    let code = match refusal {
        ResourceRefusal::NotFound(_) => ErrorCode::RESOURCE_NOT_FOUND,
        ResourceRefusal::Refused(_) => ErrorCode::INVALID_PARAMS,
    };
    (code, refusal.to_string())
}

fn written(result: &impl Serialize) -> OwnAnswer {
    to_raw_value(result).map_err(|error| (ErrorCode::INTERNAL_ERROR, error.to_string()))
}

impl<'a> OwnResourceRow<'a> {
    fn of(OfferedResource { uri, name, mime, size }: &'a OfferedResource) -> Self {
        Self { uri, name, mime_type: mime, size: *size }
    }
}

impl<'a> OwnTemplateRow<'a> {
    fn of(template: &'a OfferedTemplate) -> Self {
        let OfferedTemplate { uri_template, name, title, description, mime } = template;
        Self { uri_template, name, title, description, mime_type: *mime }
    }
}

impl<'a> OwnPromptRow<'a> {
    fn of(prompt: &'a dyn Prompt) -> Self {
        let row = |argument: &'a PromptArgument| {
            let PromptArgument { name, description, required } = *argument;
            ArgumentRow { name, description, required }
        };
        Self {
            name: prompt.name(),
            title: prompt.title(),
            description: prompt.description(),
            arguments: prompt.arguments().iter().map(row).collect(),
        }
    }
}
