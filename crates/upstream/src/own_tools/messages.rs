//! What the program's own tools say of themselves and give back, in the words of the protocol.

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_types::{OutputPart, Tool, ToolHints, ToolOutput};
use toolgate_wire::ProtocolRevision;

use super::OwnToolServer;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnToolsIntroduction<'a> {
    protocol_version: &'a str,
    capabilities: OwnCapabilities,
    server_info: OwnServerInfo,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'static str>,
}

#[derive(Serialize)]
struct OwnCapabilities {
    tools: NoMembers,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<NoMembers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<NoMembers>,
}

#[derive(Serialize)]
pub(super) struct NoMembers {}

#[derive(Serialize)]
struct OwnServerInfo {
    name: &'static str,
    version: &'static str,
}

impl<'a> OwnToolsIntroduction<'a> {
    /// In the revision that was asked for, where it is one. Nobody in particular only lists commands.
    pub(super) fn of(own: Option<&OwnToolServer>, asked_for: &'a str) -> Self {
        let is_known = asked_for.parse::<ProtocolRevision>().is_ok();
        let protocol_version = if is_known { asked_for } else { "2025-11-25" };
        let capabilities = OwnCapabilities {
            tools: NoMembers {},
            resources: own.and_then(|own| own.resources.as_ref()).map(|_| NoMembers {}),
            prompts: own.filter(|own| !own.prompts.is_empty()).map(|_| NoMembers {}),
        };
        let name = own.map_or("command-tools", |own| own.name);
        let server_info = OwnServerInfo { name, version: env!("CARGO_PKG_VERSION") };
        let instructions = own.and_then(|own| own.instructions);
        Self { protocol_version, capabilities, server_info, instructions }
    }
}

#[derive(Serialize)]
pub(super) struct ToolList<T> {
    pub(super) tools: Vec<T>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedOwnTool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<ListedHints<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedHints<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl<'a> ListedOwnTool<'a> {
    pub(super) fn of(tool: &'a dyn Tool) -> Self {
        Self {
            name: tool.name(),
            title: tool.title(),
            description: tool.description(),
            input_schema: tool.parameters(),
            output_schema: tool.output_schema(),
            annotations: ListedHints::of(tool.title(), tool.hints()),
        }
    }
}

impl<'a> ListedHints<'a> {
    /// `None` where the tool says nothing of its effects.
    fn of(title: Option<&'a str>, hints: ToolHints) -> Option<Self> {
        let ToolHints { read_only, destructive, idempotent, open_world } = hints;
        (hints != ToolHints::default()).then_some(Self {
            title,
            read_only_hint: read_only,
            destructive_hint: destructive,
            idempotent_hint: idempotent,
            open_world_hint: open_world,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallResult<'a> {
    content: Vec<ContentItem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    is_error: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentItem<'a> {
    Text {
        text: &'a str,
    },
    Image {
        data: &'a str,
        #[serde(rename = "mimeType")]
        mime: &'a str,
    },
    Audio {
        data: &'a str,
        #[serde(rename = "mimeType")]
        mime: &'a str,
    },
    ResourceLink {
        uri: &'a str,
        name: &'a str,
        #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
        mime: Option<&'a str>,
    },
}

impl<'a> CallResult<'a> {
    pub(super) fn of(output: &'a ToolOutput) -> Self {
        let has_text = output.parts.iter().any(|part| matches!(part, OutputPart::Text(_)));
        let item = |part: &'a OutputPart| match part {
            OutputPart::Text(text) => Some(ContentItem::Text { text }),
            // Said once already, to those who read nothing else.
            OutputPart::Json(_) if has_text => None,
            OutputPart::Json(json) => Some(ContentItem::Text { text: json.get() }),
            OutputPart::Media { mime, data } if mime.starts_with("audio/") => {
                Some(ContentItem::Audio { data, mime })
            }
            OutputPart::Media { mime, data } => Some(ContentItem::Image { data, mime }),
            OutputPart::Link { uri, name, mime } => Some(ContentItem::ResourceLink {
                uri,
                name: name.as_deref().unwrap_or(uri),
                mime: mime.as_deref(),
            }),
        };
        let is_structured = |part: &'a OutputPart| match part {
            OutputPart::Json(json) if json.get().starts_with('{') => Some(&**json),
            _ => None,
        };
        Self {
            content: output.parts.iter().filter_map(item).collect(),
            structured_content: output.parts.iter().find_map(is_structured),
            is_error: output.is_error,
        }
    }
}
