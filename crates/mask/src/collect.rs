//! The secrets of a configuration, and of the variables that go with it.
//!
//! What a process has by itself (`HOME`, `PATH`, …) is no secret even if an entry names it: every
//! path would be masked.

use std::collections::BTreeMap;

use super::MaskerBuilder;
use toolgate_types::config::{
    CommandTool, Config, HeaderValue, Oauth, RemoteServer, Server, StdioServer, TokenCommand,
    Transport,
};
use toolgate_types::{
    ConfigText, Endpoint, EnvName, PROXY_VARIABLES, Secret, decode_fully, is_sensitive_name,
};

const ORDINARY: [&str; 18] = [
    "DISPLAY",
    "EDITOR",
    "HOME",
    "HOSTNAME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "NODE_ENV",
    "OLDPWD",
    "PATH",
    "PWD",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

pub(super) fn secrets_of(config: &Config, variables: &BTreeMap<String, String>) -> MaskerBuilder {
    let mut collected = CollectedSecrets { variables, builder: MaskerBuilder::default() };
    for name in variables.keys().filter(|name| is_sensitive_name(name)) {
        collected.variable(name);
    }
    // Every local server has them, and says them in what it complains about.
    for name in PROXY_VARIABLES {
        if let Some(value) = variables.get(name) {
            collected.proxy(value);
        }
    }
    config.kept_secrets.values().for_each(|secret| collected.value(secret.expose()));
    config.servers.values().for_each(|entry| collected.server(&entry.value));
    config.tools.values().for_each(|entry| collected.tool(&entry.value));
    let issuer = config.gateway.oauth.iter();
    collected.texts(issuer.flat_map(|oauth| oauth.client_id.iter().chain(&oauth.client_secret)));
    for provider in config.auth_providers.values() {
        let TokenCommand { program, args, origins: _ } = provider;
        collected.texts([program].into_iter().chain(args));
    }
    collected.builder
}

struct CollectedSecrets<'a> {
    variables: &'a BTreeMap<String, String>,
    builder: MaskerBuilder,
}

impl CollectedSecrets<'_> {
    fn server(&mut self, server: &Server) {
        match &server.transport {
            Transport::Stdio(stdio) => self.stdio(stdio),
            Transport::Remote(remote) => self.remote(remote),
            // Its tools are looked at by themselves.
            Transport::Builtin | Transport::Commands(_) => {}
        }
    }

    fn stdio(&mut self, stdio: &StdioServer) {
        // Taken apart whole, so that a new field is looked at here before it compiles.
        let StdioServer {
            command,
            args,
            cwd,
            env,
            env_vars,
            inherit_env: _,
            stderr: _,
            confinement: _,
        } = stdio;
        self.texts([command].into_iter().chain(args).chain(cwd).chain(env.values()));
        self.named(env_vars);
    }

    fn tool(&mut self, tool: &CommandTool) {
        let CommandTool { command, args, cwd, env, env_vars, .. } = tool;
        self.texts([command].into_iter().chain(args).chain(cwd).chain(env.values()));
        self.named(env_vars);
    }

    fn remote(&mut self, remote: &RemoteServer) {
        let RemoteServer {
            endpoint,
            kind: _,
            headers,
            bearer_token_env,
            auth_provider,
            oauth,
            ca_file,
        } = remote;
        self.endpoint(endpoint);
        for (name, value) in headers {
            match value {
                HeaderValue::Given(text) => {
                    self.text(text);
                    if name.as_str().eq_ignore_ascii_case("cookie") {
                        self.cookies(text);
                    }
                }
                HeaderValue::FromEnv(name) => self.named([name]),
            }
        }
        self.named(bearer_token_env);
        self.texts(ca_file);
        self.texts(auth_provider);
        let Some(oauth) = oauth else { return };
        let Oauth {
            authorization_url,
            token_url,
            registration_url,
            client_id,
            client_secret,
            client_key,
            scope,
            resource,
            callback_port: _,
            grant: _,
            client_metadata_url,
            account_for: _,
        } = oauth;
        let urls = [authorization_url, token_url, registration_url, client_metadata_url];
        urls.into_iter().flatten().for_each(|url| self.endpoint(url));
        let texts = [client_id, client_secret, client_key, scope, resource];
        self.texts(texts.into_iter().flatten());
    }

    /// A URL's query often carries the key; each value is looked for by itself too.
    fn endpoint(&mut self, endpoint: &Endpoint) {
        self.text(endpoint.original());
        for (name, value) in endpoint.url().query_pairs() {
            if is_sensitive_name(&name) {
                self.value(&value);
            }
        }
    }

    /// `id=abc; theme=dark`: a server tells what a cookie holds, not the header.
    fn cookies(&mut self, text: &ConfigText) {
        if text.is_secret() {
            let pairs = text.expose().split(';').filter_map(|pair| pair.split_once('='));
            pairs.for_each(|(_, value)| self.value(value.trim()));
        }
    }

    fn texts<'t>(&mut self, texts: impl IntoIterator<Item = &'t ConfigText>) {
        texts.into_iter().for_each(|text| self.text(text));
    }

    fn text(&mut self, text: &ConfigText) {
        let ConfigText::Secret { shown, value, expanded } = text else { return };
        let value = value.expose();
        if *expanded {
            let names = template_names(shown);
            if names.iter().all(|name| ORDINARY.contains(name)) {
                return;
            }
            names.iter().for_each(|name| self.variable(name));
        }
        self.value(value);
        if let Some(hidden) = text.secret_part() {
            self.value(hidden);
        }
    }

    fn named<'n>(&mut self, names: impl IntoIterator<Item = &'n EnvName>) {
        names.into_iter().for_each(|name| self.variable(name.as_str()));
    }

    fn variable(&mut self, name: &str) {
        if !ORDINARY.contains(&name)
            && let Some(value) = self.variables.get(name)
        {
            self.value(value);
        }
    }

    /// `http://user:password@proxy.example:3128`.
    fn proxy(&mut self, value: &str) {
        let rest = value.split_once("://").map_or(value, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let Some((userinfo, _)) = authority.rsplit_once('@') else { return };
        self.value(userinfo);
        if let Some((_, password)) = userinfo.split_once(':') {
            self.value(password);
            self.value(&decode_fully(password));
        }
    }

    fn value(&mut self, value: &str) {
        let secret = Secret::new(value.to_owned());
        self.builder = std::mem::take(&mut self.builder).secret(&secret);
    }
}

fn template_names(template: &str) -> Vec<&str> {
    let parts = template.split("${").skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests;
