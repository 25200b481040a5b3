//! One record of the file, as text and as what it means.
//!
//! The first fields are those of every program that uses the file; those of ours bind it.

use serde_json::{Map, Value};
use toolgate_types::{Secret, ServerId};

use crate::{KeptLogin, LoginBinding, LoginHolder, LoginKey, LoginTokens};

type Object = Map<String, Value>;

/// Every field that is known here; the others stay as they are.
const KNOWN: [&str; 18] = [
    "access_token",
    "refresh_token",
    "expires_at",
    "token_type",
    "scope",
    "client_id",
    "client_secret",
    "server_url",
    "issuer",
    "resource",
    "token_endpoint",
    "revocation_endpoint",
    "client_auth",
    "wanted_scope",
    "server",
    "url",
    "principal",
    "account",
];

/// None where it is not bound: whoever wrote it knew where it belongs, and nobody else does.
pub(super) fn login_of(record: &Object) -> Option<KeptLogin> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    let secret = |name: &str| text(name).filter(|value| !value.is_empty()).map(Secret::new);
    let tokens = secret("access_token").map(|access_token| LoginTokens {
        access_token,
        refresh_token: secret("refresh_token"),
        expires_at: record.get("expires_at").and_then(Value::as_u64),
        scope: text("scope"),
    });
    let binding = LoginBinding {
        server_url: text("server_url")?,
        issuer: text("issuer"),
        resource: text("resource")?,
        token_endpoint: text("token_endpoint")?,
        revocation_endpoint: text("revocation_endpoint"),
        client_auth: text("client_auth")?,
    };
    let known = |name: &&String| KNOWN.contains(&name.as_str());
    let rest = record.iter().filter(|(name, _)| !known(name));
    Some(KeptLogin {
        client_id: text("client_id")?,
        client_secret: secret("client_secret"),
        tokens,
        wanted_scope: text("wanted_scope"),
        binding,
        rest: rest.map(|(name, value)| (name.clone(), value.clone())).collect(),
    })
}

/// Whose it is, as its name and its fields say.
pub(super) fn key_of(name: &str, record: &Object) -> Option<LoginKey> {
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(principal) = text("principal") {
        let (server, holder) = (text("server")?, LoginHolder::Other { principal });
        let server = ServerId::parse(&server).ok()?;
        return Some(LoginKey { server, url: text("url")?, holder, account: text("account") });
    }
    let (server, account) = match name.split_once('@') {
        Some((server, account)) => (server, Some(account.to_owned())),
        None => (name, None),
    };
    let (server, url) = (ServerId::parse(server).ok()?, text("server_url")?);
    Some(LoginKey { server, url, holder: LoginHolder::Owner, account })
}

pub(super) fn written(key: &LoginKey, login: &KeptLogin) -> Object {
    let KeptLogin { client_id, client_secret, tokens, wanted_scope, binding, rest } = login;
    let mut record = Object::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            record.insert(name.to_owned(), value);
        }
    };
    let exposed = |secret: &Secret| Value::from(secret.expose());
    let given = |text: &Option<String>| text.as_deref().map(Value::from);
    if let Some(LoginTokens { access_token, refresh_token, expires_at, scope }) = tokens {
        put("access_token", Some(exposed(access_token)));
        put("refresh_token", refresh_token.as_ref().map(exposed));
        put("expires_at", expires_at.map(Value::from));
        put("token_type", Some("Bearer".into()));
        put("scope", given(scope));
    }
    put("client_id", Some(client_id.as_str().into()));
    put("client_secret", client_secret.as_ref().map(exposed));
    put("wanted_scope", given(wanted_scope));
    let LoginBinding {
        server_url,
        issuer,
        resource,
        token_endpoint,
        revocation_endpoint,
        client_auth,
    } = binding;
    put("server_url", Some(server_url.as_str().into()));
    put("issuer", given(issuer));
    put("resource", Some(resource.as_str().into()));
    put("token_endpoint", Some(token_endpoint.as_str().into()));
    put("revocation_endpoint", given(revocation_endpoint));
    put("client_auth", Some(client_auth.as_str().into()));
    if let LoginHolder::Other { principal } = &key.holder {
        put("server", Some(key.server.as_str().into()));
        put("url", Some(key.url.as_str().into()));
        put("principal", Some(principal.as_str().into()));
        put("account", given(&key.account));
    }
    record.extend(rest.clone());
    record
}
