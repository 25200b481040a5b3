//! A configuration said back in the native shape, with defaults left out and secrets masked.
//!
//! For people and snapshots: `config show`, `get`. Never for running. Who decides about an entry of
//! somebody else's sees it as it is written: a file can call anything a secret.

pub mod entry_text;
mod settings;

use crate::lock::SHA256;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
pub use settings::settings;
use toolgate_types::config::{
    Bundle, CallRule, CommandTool, Confinement, HeaderValue, InheritEnv, Isolation, NameFilter,
    NetworkAccess, OauthGrant, Policy, RemoteKind, RemoteServer, ResourceLimits, Role, Server,
    ServerTimeouts, ShownToolName, SideEffects, Startup, Stderr, StdioServer, ToolShaping,
    Transport, Workflow,
};
use toolgate_types::{ConfigText, Endpoint, EnvName, Pattern};

type Object = Map<String, Value>;

/// How text is said that may hold a secret.
#[derive(Clone, Copy)]
struct SecretSpelling {
    text: for<'a> fn(&'a ConfigText) -> &'a str,
    url: fn(&Endpoint) -> String,
}

/// With stars where a value is a secret, or looks like one.
const MASKED: SecretSpelling = SecretSpelling { text: ConfigText::shown, url: Endpoint::shown };

/// As the file spells it. A variable of the person's own stays `${NAME}`.
const WRITTEN: SecretSpelling =
    SecretSpelling { text: ConfigText::written, url: |endpoint| endpoint.written().to_owned() };

/// A server in native keys.
pub fn server(server: &Server) -> Object {
    say_server(server, MASKED)
}

/// The same as it is written, for the person who decides whether exactly this may run.
pub fn server_as_written(server: &Server) -> Object {
    say_server(server, WRITTEN)
}

fn say_server(server: &Server, spelling: SecretSpelling) -> Object {
    let mut out = Object::new();
    put(&mut out, "transport", server.transport.as_str());
    match &server.transport {
        Transport::Remote(remote) => put_remote(&mut out, remote, spelling),
        Transport::Stdio(stdio) => put_stdio(&mut out, stdio, spelling),
        Transport::Builtin => put_list(&mut out, "readable", &server.further_folders),
        Transport::Commands(_) => {}
    }
    put_some(&mut out, "label", server.label.as_deref());
    put_some(&mut out, "description", server.description.as_deref());
    put(&mut out, "enabled", server.enabled);
    put_some(&mut out, "trust", server.declared_trust.map(|trust| trust.as_str()));
    put_unless(&mut out, "startup", server.startup.as_str(), Startup::default().as_str());
    put_unless(&mut out, "required", server.required, false);
    let ServerTimeouts { startup, request, tool } = server.timeouts;
    let default = ServerTimeouts::DEFAULT;
    put_unless(&mut out, "startup_timeout_ms", startup.get(), default.startup.get());
    put_unless(&mut out, "request_timeout_ms", request.get(), default.request.get());
    put_unless(&mut out, "tool_timeout_ms", tool.get(), default.tool.get());
    put_unless(
        &mut out,
        "idle_timeout_ms",
        server.idle_timeout.get(),
        Server::DEFAULT_IDLE_TIMEOUT.get(),
    );
    put_unless(&mut out, "isolation", server.isolation.as_str(), Isolation::default().as_str());
    put_filter(&mut out, "enabled_tools", "disabled_tools", &server.tools);
    put_filter(&mut out, "allow_resources", "deny_resources", &server.resources);
    put_filter(&mut out, "allow_prompts", "deny_prompts", &server.prompts);
    put_some(&mut out, "approval", server.approval.map(|mode| mode.as_str()));
    if !server.tool_settings.is_empty() {
        let tools = server.tool_settings.iter().map(|(name, settings)| {
            let mut tool = Object::new();
            put_some(&mut tool, "approval", settings.approval.map(|mode| mode.as_str()));
            put_some(&mut tool, "timeout_ms", settings.timeout.map(|timeout| timeout.get()));
            put_some(&mut tool, "result_bytes", settings.result_bytes);
            put_some(&mut tool, "strict_output", settings.strict_output);
            if let Some(shaping) = &settings.shaping {
                put_shaping(&mut tool, shaping);
            }
            (name.clone(), Value::Object(tool))
        });
        out.insert("tools".into(), Value::Object(tools.collect()));
    }
    put_unless(&mut out, "mask_results", server.mask_results, false);
    put_unless(&mut out, "omit_output_schemas", server.omit_output_schemas, false);
    put_unless(&mut out, "strict_output", server.strict_output, false);
    put_unless(&mut out, "sampling", server.sampling, false);
    out
}

fn put_shaping(out: &mut Object, shaping: &ToolShaping) {
    let ToolShaping { rename, description, hidden, defaults } = shaping;
    put_some(out, "rename", rename.as_ref().map(ShownToolName::as_str));
    put_some(out, "description", description.as_deref());
    if !hidden.is_empty() {
        put(out, "hide_parameters", hidden.iter().cloned().collect::<Vec<_>>());
    }
    if !defaults.is_empty() {
        let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
        let values = defaults.iter().map(|(name, raw)| (name.clone(), value(raw)));
        out.insert("default".into(), Value::Object(values.collect()));
    }
}

fn put_remote(out: &mut Object, remote: &RemoteServer, spelling: SecretSpelling) {
    let SecretSpelling { text: say, url } = spelling;
    if remote.kind == RemoteKind::Auto {
        out.remove("transport");
    }
    put(out, "url", url(&remote.endpoint));
    let mut given = Object::new();
    let mut by_name = Object::new();
    for (name, value) in &remote.headers {
        match value {
            HeaderValue::Given(text) => given.insert(name.to_string(), say(text).into()),
            HeaderValue::FromEnv(env) => by_name.insert(name.to_string(), env.as_str().into()),
        };
    }
    put_table(out, "headers", given);
    put_table(out, "env_headers", by_name);
    put_some(out, "bearer_token_env", remote.bearer_token_env.as_ref().map(EnvName::as_str));
    put_some(out, "auth_provider", remote.auth_provider.as_ref().map(say));
    if let Some(oauth) = &remote.oauth {
        let mut table = Object::new();
        let urls = [
            ("authorization_url", &oauth.authorization_url),
            ("token_url", &oauth.token_url),
            ("registration_url", &oauth.registration_url),
            ("client_metadata_url", &oauth.client_metadata_url),
        ];
        for (key, at) in urls {
            put_some(&mut table, key, at.as_ref().map(url));
        }
        put_some(&mut table, "client_id", oauth.client_id.as_ref().map(say));
        put_some(&mut table, "client_secret", oauth.client_secret.as_ref().map(say));
        put_some(&mut table, "client_key", oauth.client_key.as_ref().map(say));
        put_some(&mut table, "scope", oauth.scope.as_ref().map(say));
        put_some(&mut table, "resource", oauth.resource.as_ref().map(say));
        put_some(&mut table, "callback_port", oauth.callback_port);
        let grant = Some(oauth.grant).filter(|grant| *grant != OauthGrant::default());
        put_some(&mut table, "grant", grant.map(OauthGrant::as_str));
        let accounts = oauth.account_for.iter();
        let accounts = accounts.map(|(folder, account)| (folder.clone(), account.as_str().into()));
        put_table(&mut table, "account_for", accounts.collect());
        out.insert("oauth".into(), Value::Object(table));
    }
    put_some(out, "ca_file", remote.ca_file.as_ref().map(say));
}

fn put_stdio(
    out: &mut Object,
    stdio: &StdioServer,
    SecretSpelling { text: say, .. }: SecretSpelling,
) {
    put_process(out, &stdio.command, &stdio.args, stdio.cwd.as_ref(), say);
    put_env(out, stdio.env.iter(), &stdio.env_vars, stdio.inherit_env, say);
    put_unless(out, "stderr", stdio.stderr.as_str(), Stderr::default().as_str());
    put_wall(out, &stdio.confinement);
}

/// A command tool in native keys.
pub fn tool(tool: &CommandTool) -> Object {
    say_tool(tool, MASKED)
}

/// The same as it is written, for the person who decides whether exactly this may run.
pub fn tool_as_written(tool: &CommandTool) -> Object {
    say_tool(tool, WRITTEN)
}

fn say_tool(tool: &CommandTool, SecretSpelling { text: say, .. }: SecretSpelling) -> Object {
    let mut out = Object::new();
    put_some(&mut out, "display_name", tool.display_name.as_deref());
    put_some(&mut out, "description", tool.description.as_deref());
    put(&mut out, "enabled", tool.enabled);
    put_process(&mut out, &tool.command, &tool.args, tool.cwd.as_ref(), say);
    put_env(&mut out, tool.env.iter(), &tool.env_vars, tool.inherit_env, say);
    let schema = |text: &Option<String>| {
        let text = text.as_deref()?;
        Some(serde_json::from_str::<Value>(text).unwrap_or_else(|_| Value::from(text)))
    };
    put_some(&mut out, "input_schema", schema(&tool.input_schema));
    put_some(&mut out, "output_schema", schema(&tool.output_schema));
    put_list(&mut out, "allow_dash", &tool.allow_dash);
    let names: Vec<&str> = tool.env_overrides.iter().map(EnvName::as_str).collect();
    put_list(&mut out, "env_overrides", &names);
    put_unless(&mut out, "cwd_override", tool.cwd_override, false);
    if let SideEffects::Declared(effects) = &tool.side_effects {
        let words: Vec<&str> = effects.iter().map(|effect| effect.as_str()).collect();
        put(&mut out, "side_effects", words);
    }
    put_wall(&mut out, &tool.confinement);
    put(&mut out, "requires_approval", tool.requires_approval);
    put(&mut out, "timeout_ms", tool.timeout.get());
    put_unless(&mut out, "streaming", tool.streaming, false);
    put_some(&mut out, "result_bytes", tool.result_bytes);
    out
}

/// A bundle in native keys.
pub fn bundle(bundle: &Bundle) -> Object {
    let mut out = Object::new();
    put(&mut out, "server", bundle.server.as_str());
    put(&mut out, "mode", bundle.mode.as_str());
    put_some(&mut out, "description", bundle.description.as_deref());
    put_filter(&mut out, "allow_tools", "deny_tools", &bundle.tools);
    out
}

/// A role in native keys.
pub fn role(role: &Role) -> Object {
    let mut out = Object::new();
    put_some(&mut out, "description", role.description.as_deref());
    let bundles: Vec<&str> = role.bundles.iter().map(|bundle| bundle.as_str()).collect();
    put(&mut out, "bundles", bundles);
    put_filter(&mut out, "allow_tools", "deny_tools", &role.tools);
    out
}

/// A workflow in native keys.
pub fn workflow(workflow: &Workflow) -> Object {
    let roles = workflow.roles.iter().map(|(role, steps)| {
        let steps = steps.iter().map(|(step, bundles)| {
            let bundles: Vec<&str> = bundles.iter().map(|bundle| bundle.as_str()).collect();
            (step.to_string(), json!(bundles))
        });
        (role.to_string(), Value::Object(steps.collect()))
    });
    roles.collect()
}

fn call_rule(rule: &CallRule) -> Value {
    let CallRule { tool, when, definition, then } = rule;
    let mut out = Object::new();
    put(&mut out, "tool", tool.as_str());
    let when: Object = when.iter().map(|(name, glob)| (name.clone(), json!(glob))).collect();
    if !when.is_empty() {
        put(&mut out, "when", when);
    }
    let hash = definition.map(|hash| format!("{SHA256}{}", hash.to_hex()));
    put_some(&mut out, "definition", hash);
    put(&mut out, "then", then.as_str());
    Value::Object(out)
}

/// A policy in native keys.
pub fn policy(policy: &Policy) -> Object {
    let mut out = Object::new();
    put_filter(&mut out, "allow_tools", "deny_tools", &policy.tools);
    put_filter(&mut out, "allow_resources", "deny_resources", &policy.resources);
    put_filter(&mut out, "allow_prompts", "deny_prompts", &policy.prompts);
    put_some(&mut out, "allowed_cwds", policy.allowed_cwds.clone());
    put_some(&mut out, "allowed_arg_paths", policy.allowed_arg_paths.clone());
    if !policy.rules.is_empty() {
        let rules: Vec<Value> = policy.rules.iter().map(call_rule).collect();
        put(&mut out, "rules", rules);
    }
    out
}

fn put_process(
    out: &mut Object,
    command: &ConfigText,
    args: &[ConfigText],
    cwd: Option<&ConfigText>,
    say: fn(&ConfigText) -> &str,
) {
    put(out, "command", say(command));
    let args: Vec<&str> = args.iter().map(say).collect();
    put_list(out, "args", &args);
    put_some(out, "cwd", cwd.map(say));
}

fn put_env<'a>(
    out: &mut Object,
    env: impl Iterator<Item = (&'a EnvName, &'a ConfigText)>,
    by_name: &[EnvName],
    inherit: InheritEnv,
    say: fn(&ConfigText) -> &str,
) {
    let env = env.map(|(name, text)| (name.to_string(), say(text).into()));
    put_table(out, "env", env.collect());
    let names: Vec<&str> = by_name.iter().map(EnvName::as_str).collect();
    put_list(out, "env_vars", &names);
    put_unless(out, "inherit_env", inherit.as_str(), InheritEnv::default().as_str());
}

fn put_wall(out: &mut Object, wall: &Confinement) {
    put(out, "sandbox_profile", wall.profile.as_str());
    match &wall.network {
        NetworkAccess::Off => {}
        NetworkAccess::Everything => put(out, "allow_network", true),
        NetworkAccess::Named(hosts) => {
            let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
            put(out, "allow_network", hosts);
        }
    }
    put_list(out, "readable", &wall.readable);
    put_list(out, "writable", &wall.writable);
    put_resources(out, &wall.limits);
}

/// What an entry says of it; the rest is as usual.
fn put_resources(out: &mut Object, limits: &ResourceLimits) {
    let usual = ResourceLimits::default();
    let mut resources = Object::new();
    put_unless(&mut resources, "processes", limits.processes, usual.processes);
    put_unless(&mut resources, "memory_bytes", limits.memory_bytes, usual.memory_bytes);
    put_unless(&mut resources, "file_bytes", limits.file_bytes, usual.file_bytes);
    put_unless(&mut resources, "scratch_bytes", limits.scratch_bytes, usual.scratch_bytes);
    put_unless(&mut resources, "cpu_seconds", limits.cpu_seconds, usual.cpu_seconds);
    if !resources.is_empty() {
        put(out, "resources", Value::Object(resources));
    }
}

fn put_filter(out: &mut Object, allow: &str, deny: &str, filter: &NameFilter) {
    put_some(out, allow, filter.allow.as_deref().map(patterns));
    put_list(out, deny, &patterns(&filter.deny));
}

fn patterns(patterns: &[Pattern]) -> Vec<&str> {
    patterns.iter().map(Pattern::as_str).collect()
}

fn put(out: &mut Object, key: &str, value: impl Into<Value>) {
    out.insert(key.to_owned(), value.into());
}

fn put_some<T: Into<Value>>(out: &mut Object, key: &str, value: Option<T>) {
    if let Some(value) = value {
        put(out, key, value);
    }
}

fn put_unless<T: Into<Value> + PartialEq>(out: &mut Object, key: &str, value: T, default: T) {
    if value != default {
        put(out, key, value);
    }
}

fn put_list<T: Clone + Into<Value>>(out: &mut Object, key: &str, values: &[T]) {
    if !values.is_empty() {
        put(out, key, values.to_vec());
    }
}

fn put_table(out: &mut Object, key: &str, table: Object) {
    if !table.is_empty() {
        put(out, key, table);
    }
}
