//! Credentials that stand in a file as they are: whoever reads the file has them, and a copy of the
//! repository takes them along. Known by the names and shapes that masking goes by; never repeated.

use toolgate_config::{McpConfigLoadResult, Problem, Severity};
use toolgate_mask::Masker;
use toolgate_types::config::{
    CommandTool, Entry, HeaderValue, RemoteServer, Server, StdioServer, Transport,
};
use toolgate_types::{ConfigText, Origin, is_sensitive_name};

/// A warning for each.
pub fn literal_credentials(loaded: &McpConfigLoadResult) -> Vec<Problem> {
    let shapes = Masker::default();
    let mut found = Vec::new();
    for entry in loaded.config.servers.values() {
        look(entry, server_texts(&entry.value), &shapes, &mut found);
    }
    for entry in loaded.config.tools.values() {
        look(entry, tool_texts(&entry.value), &shapes, &mut found);
    }
    found
}

/// The same of one server.
pub fn literal_credentials_of(entry: &Entry<Server>) -> Vec<Problem> {
    let mut found = Vec::new();
    look(entry, server_texts(&entry.value), &Masker::default(), &mut found);
    found
}

type NamedTexts<'a> = Vec<(&'static str, Option<String>, &'a ConfigText)>;

fn look<T>(entry: &Entry<T>, texts: NamedTexts<'_>, shapes: &Masker, found: &mut Vec<Problem>) {
    let is_credential = |key: &str, name: Option<&str>, text: &ConfigText| {
        let written = text.written().trim();
        let is_named = match (key, name) {
            ("args", _) => text.is_literal_secret(),
            (_, name) => name.is_some_and(is_sensitive_name),
        };
        // What a variable brings is not in the file.
        let is_brought = text.is_secret() && !text.is_literal_secret();
        !is_brought && !written.is_empty() && (is_named || shapes.mask_text(written) != written)
    };
    let found_here =
        texts.into_iter().filter(|(key, name, text)| is_credential(key, name.as_deref(), text));
    for (key, name, _) in found_here {
        let at = place_of(entry, key, name.as_deref());
        let what = name.map_or_else(|| format!("`{key}`"), |name| format!("`{name}` in `{key}`"));
        found.push(Problem {
            severity: Severity::Warning,
            rule: "literal-credential",
            source: at.source.clone(),
            key: at.key.clone(),
            line: at.line,
            message: format!("{what} holds a credential as it is"),
            help: Some(help(key).to_owned()),
        });
    }
}

fn help(key: &str) -> &'static str {
    match key {
        "headers" => {
            "keep it with `toolgate secret set NAME` and write `${secret:NAME}` here, or put it into a \
             variable and name that: `bearer_token_env = \"NAME\"`, or `${NAME}` here (JSON needs \
             `\"expand_env\": true` for both)"
        }
        "env" => {
            "keep it with `toolgate secret set NAME` and write `${secret:NAME}` here, or put it into a \
             variable and name that: `env_vars = [\"NAME\"]`, or `${NAME}` here (JSON needs \
             `\"expand_env\": true` for both)"
        }
        _ => {
            "keep it with `toolgate secret set NAME` and write `${secret:NAME}` here, or put it into a \
             variable and write `${NAME}` (JSON needs `\"expand_env\": true` for both)"
        }
    }
}

/// The place of a value, in whatever spelling its key is, or the entry's own.
fn place_of<'e, T>(entry: &'e Entry<T>, key: &str, name: Option<&str>) -> &'e Origin {
    let flat = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let inner = |at: &Origin| at.key.strip_prefix(&entry.origin.key).unwrap_or_default().to_owned();
    let has_key = |at: &&Origin| inner(at).split('.').any(|part| flat(part) == flat(key));
    let has_name = |at: &&Origin| name.is_none_or(|name| inner(at).contains(name));
    let mut with_key = entry.values.iter().filter(has_key);
    let named = with_key.clone().find(has_name);
    named.or_else(|| with_key.next()).unwrap_or(&entry.origin)
}

fn server_texts(server: &Server) -> NamedTexts<'_> {
    match &server.transport {
        Transport::Builtin | Transport::Commands(_) => Vec::new(),
        Transport::Stdio(stdio) => {
            let StdioServer { command, args, cwd, env, .. } = stdio;
            process_texts(command, args, cwd.as_ref(), env)
        }
        Transport::Remote(remote) => remote_texts(remote),
    }
}

fn tool_texts(CommandTool { command, args, cwd, env, .. }: &CommandTool) -> NamedTexts<'_> {
    process_texts(command, args, cwd.as_ref(), env)
}

fn process_texts<'a, K: ToString + 'a>(
    command: &'a ConfigText,
    args: &'a [ConfigText],
    cwd: Option<&'a ConfigText>,
    env: impl IntoIterator<Item = (K, &'a ConfigText)>,
) -> NamedTexts<'a> {
    let mut texts = vec![("command", None, command)];
    texts.extend(args.iter().map(|text| ("args", None, text)));
    texts.extend(cwd.map(|text| ("cwd", None, text)));
    texts.extend(env.into_iter().map(|(name, text)| ("env", Some(name.to_string()), text)));
    texts
}

fn remote_texts(remote: &RemoteServer) -> NamedTexts<'_> {
    let mut texts = vec![("url", None, remote.endpoint.original())];
    texts.extend(remote.headers.iter().filter_map(|(name, value)| match value {
        HeaderValue::Given(text) => Some(("headers", Some(name.to_string()), text)),
        HeaderValue::FromEnv(_) => None,
    }));
    // A client secret of OAuth is warned of by the load itself.
    texts
}
