//! The JSON Schema of the native shape, for editors and for the reference page.
//!
//! Defaults are taken from the types that apply them, so that the two cannot differ.

use serde_json::{Map, Value, json};
use toolgate_types::config::{
    BundleMode, CommandTool, Config, InheritEnv, Isolation, Server, ServerTimeouts, Startup, Stderr,
};

use crate::raw::RawConfig;
use crate::show;

/// The schema, with a stable order of keys.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(RawConfig).to_value();
    let settings = show::settings(&Config::default());
    for (section, definition) in [
        ("gateway", "Gateway"),
        ("approval", "Approval"),
        ("sandbox", "Sandbox"),
        ("audit", "Audit"),
        ("limits", "Limits"),
    ] {
        if let Some(Value::Object(defaults)) = settings.get(section) {
            put_defaults(&mut schema, definition, defaults);
        }
    }
    for (definition, defaults) in entry_defaults() {
        if let Value::Object(defaults) = defaults {
            put_defaults(&mut schema, definition, &defaults);
        }
    }
    schema
}

fn entry_defaults() -> [(&'static str, Value); 3] {
    let server = json!({
        "enabled": true,
        "startup": Startup::default(),
        "required": false,
        "startup_timeout_ms": ServerTimeouts::DEFAULT.startup.get(),
        "request_timeout_ms": ServerTimeouts::DEFAULT.request.get(),
        "tool_timeout_ms": ServerTimeouts::DEFAULT.tool.get(),
        "idle_timeout_ms": Server::DEFAULT_IDLE_TIMEOUT.get(),
        "isolation": Isolation::default(),
        "inherit_env": InheritEnv::default(),
        "stderr": Stderr::default(),
        "allow_network": false,
        "mask_results": false,
        "omit_output_schemas": false,
        "strict_output": false,
        "sampling": false,
    });
    let tool = json!({
        "enabled": true,
        "inherit_env": InheritEnv::default(),
        "sandbox_profile": "default",
        "allow_network": false,
        "requires_approval": true,
        "timeout_ms": CommandTool::DEFAULT_TIMEOUT.get(),
        "streaming": false,
    });
    [("Server", server), ("Tool", tool), ("Bundle", json!({ "mode": BundleMode::default() }))]
}

fn put_defaults(schema: &mut Value, definition: &str, defaults: &Map<String, Value>) {
    let properties = schema.pointer_mut(&format!("/$defs/{definition}/properties"));
    let Some(Value::Object(properties)) = properties else { return };
    for (key, default) in defaults {
        if let Some(Value::Object(property)) = properties.get_mut(key) {
            property.insert("default".into(), default.clone());
        }
    }
}
