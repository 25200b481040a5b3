//! The schemas of the host's own tools. Literals, read by a test.

use std::sync::LazyLock;

use serde_json::value::RawValue;

use super::OwnTool;

const ONE_SERVER: &str = r#"{"type":"object","properties":{"server":{"type":"string","description":"Only of this server"}},"additionalProperties":false}"#;

const ONE_RESOURCE: &str = r#"{"type":"object","properties":{"server":{"type":"string"},"uri":{"type":"string"}},"required":["uri"],"additionalProperties":false}"#;

const ONE_PROMPT: &str = r#"{"type":"object","properties":{"server":{"type":"string"},"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["server","name"],"additionalProperties":false}"#;

const LIST_TOOLS: &str = r#"{"type":"object","properties":{"serverId":{"type":"string"},"offset":{"type":"integer","minimum":0},"limit":{"type":"integer","minimum":1,"maximum":128}},"required":["serverId"],"additionalProperties":false}"#;

const SEARCH_TOOLS: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"What you want to do"},"limit":{"type":"integer","minimum":1,"maximum":20}},"required":["query"],"additionalProperties":false}"#;

const ONE_TOOL: &str = r#"{"type":"object","properties":{"serverId":{"type":"string"},"toolName":{"type":"string"}},"required":["serverId","toolName"],"additionalProperties":false}"#;

const CALL_TOOL: &str = r#"{"type":"object","properties":{"serverId":{"type":"string"},"toolName":{"type":"string"},"args":{"type":"object"}},"required":["serverId","toolName"],"additionalProperties":false}"#;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_default()
}

pub(super) fn of(tool: &OwnTool) -> &'static RawValue {
    static READ: LazyLock<[Box<RawValue>; 7]> = LazyLock::new(|| {
        [ONE_SERVER, ONE_RESOURCE, ONE_PROMPT, LIST_TOOLS, SEARCH_TOOLS, ONE_TOOL, CALL_TOOL]
            .map(raw)
    });
    let [one_server, one_resource, one_prompt, list_tools, search_tools, one_tool, call_tool] =
        &*READ;
    match tool {
        OwnTool::ListResources | OwnTool::ListResourceTemplates | OwnTool::ListPrompts => {
            one_server
        }
        OwnTool::GetPrompt => one_prompt,
        OwnTool::ReadResource => one_resource,
        OwnTool::ListTools(_) => list_tools,
        OwnTool::SearchTools(_) => search_tools,
        OwnTool::GetToolSchema(_) => one_tool,
        OwnTool::CallTool(_) => call_tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own_tool::MetaScope;

    #[test]
    fn every_schema_can_be_read_and_every_name_is_reserved() {
        let inputs = toolgate_guard::VisibilityInputs::default();
        let rules = toolgate_guard::AudienceRules::of(&inputs, std::path::Path::new("/")).unwrap();
        let scope = MetaScope::new(Vec::new(), std::sync::Arc::new(rules));
        for tool in OwnTool::resources().into_iter().chain(OwnTool::meta(&scope)) {
            assert!(of(&tool).get().starts_with(r#"{"type":"object""#), "{tool:?}");
            for name in tool.names() {
                assert!(OwnTool::NAMES.contains(&name), "{name}");
            }
        }
    }
}
