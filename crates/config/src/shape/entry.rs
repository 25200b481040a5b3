//! A server in native keys, said in the keys of the shape that a file has.

use serde_json::{Map, Value};

use super::ConfigShape;

/// A key that a shape has no words for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a file of this kind ({shape}) cannot say `{key}`")]
pub struct UnsayableKey {
    pub shape: &'static str,
    pub key: String,
}

type Object = Map<String, Value>;

/// Keys that stand inside the `transport` object of the older JSON shape.
const TRANSPORT_KEYS: [(&str, &str); 8] = [
    ("transport", "type"),
    ("url", "url"),
    ("headers", "headers"),
    ("auth_provider", "authProviderId"),
    ("command", "command"),
    ("args", "args"),
    ("cwd", "cwd"),
    ("env", "env"),
];

/// Our key, theirs, and what a duration is divided by.
const CODEX_KEYS: [(&str, &str, Option<f64>); 15] = [
    ("command", "command", None),
    ("args", "args", None),
    ("env", "env", None),
    ("env_vars", "env_vars", None),
    ("cwd", "cwd", None),
    ("url", "url", None),
    ("headers", "http_headers", None),
    ("env_headers", "env_http_headers", None),
    ("bearer_token_env", "bearer_token_env_var", None),
    ("enabled", "enabled", None),
    ("required", "required", None),
    ("startup_timeout_ms", "startup_timeout_sec", Some(1000.0)),
    ("tool_timeout_ms", "tool_timeout_sec", Some(1000.0)),
    ("enabled_tools", "enabled_tools", None),
    ("disabled_tools", "disabled_tools", None),
];

impl ConfigShape {
    /// The entry as this shape writes it.
    pub fn write_server(self, native: Object) -> Result<Object, UnsayableKey> {
        match self {
            Self::Native | Self::CommandTools => Ok(native),
            Self::Codelia => Ok(with_transport(native)),
            Self::ToolLoop => Ok(with_transport_object(with_transport(native))),
            Self::Codex => codex(native),
        }
    }
}

/// The older JSON shapes name the transport always.
fn with_transport(mut native: Object) -> Object {
    if !native.contains_key("transport") {
        let word = if native.contains_key("url") { "http" } else { "stdio" };
        native.shift_insert(0, "transport".to_owned(), word.into());
    }
    native
}

fn with_transport_object(native: Object) -> Object {
    let mut transport = Object::new();
    let mut entry = Object::new();
    // The field is required there. A project's file cannot make anything trusted by saying so.
    entry.insert("trust".into(), "untrusted".into());
    for (key, value) in native {
        match TRANSPORT_KEYS.iter().find(|(ours, _)| *ours == key) {
            Some((_, theirs)) => drop(transport.insert((*theirs).to_owned(), value)),
            None => drop(entry.insert(key, value)),
        }
    }
    entry.insert("transport".into(), Value::Object(transport));
    entry
}

fn codex(native: Object) -> Result<Object, UnsayableKey> {
    let mut entry = Object::new();
    for (key, value) in native {
        if key == "transport" && value != "sse" {
            continue;
        }
        let Some((_, theirs, divisor)) = CODEX_KEYS.iter().find(|(ours, ..)| *ours == key) else {
            return Err(UnsayableKey { shape: ConfigShape::Codex.as_str(), key });
        };
        let value = match (divisor, value.as_f64()) {
            (Some(divisor), Some(number)) => Value::from(number / divisor),
            _ => value,
        };
        entry.insert((*theirs).to_owned(), value);
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn the_older_json_shape_gets_a_transport_object_and_a_trust_field() {
        let native = json!({"transport": "http", "url": "https://a/mcp", "enabled": false});
        assert_eq!(
            Value::Object(ConfigShape::ToolLoop.write_server(object(native)).unwrap()),
            json!({"trust": "untrusted", "enabled": false,
                   "transport": {"type": "http", "url": "https://a/mcp"}})
        );
    }

    #[test]
    fn the_older_json_shapes_always_name_the_transport() {
        let native = json!({"url": "https://a/mcp"});
        assert_eq!(
            Value::Object(ConfigShape::Codelia.write_server(object(native)).unwrap()),
            json!({"transport": "http", "url": "https://a/mcp"})
        );
        let native = json!({"command": "x"});
        let written = ConfigShape::ToolLoop.write_server(object(native)).unwrap();
        assert_eq!(written["transport"], json!({"type": "stdio", "command": "x"}));
    }

    #[test]
    fn codex_gets_its_own_keys_and_seconds_or_a_refusal() {
        let native = json!({"transport": "http", "url": "https://a/mcp",
                            "headers": {"X": "y"}, "tool_timeout_ms": 1500});
        assert_eq!(
            Value::Object(ConfigShape::Codex.write_server(object(native)).unwrap()),
            json!({"url": "https://a/mcp", "http_headers": {"X": "y"}, "tool_timeout_sec": 1.5})
        );
        let sse = json!({"transport": "sse", "url": "https://a/sse"});
        let refused = ConfigShape::Codex.write_server(object(sse)).expect_err("no words for sse");
        assert_eq!(refused.key, "transport");
    }
}
