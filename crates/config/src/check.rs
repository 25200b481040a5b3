//! What can be checked only after all layers are merged: references, and the strict profile.

use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_types::config::{
    CallerAuth, ClaimedRole, Config, Entry, HeaderValue, HttpEntrance, Profile, Transport,
};
use toolgate_types::{BundleId, EntryKind, Origin, ServerId, did_you_mean};

use crate::layer::{LayeredConfig, RejectedEntry};
use crate::problem::{Problem, Severity};
use crate::unset_variables::is_unset;
use toolgate_types::Variables;

/// Servers that exist without being configured.
pub const BUILTIN_SERVERS: [&str; 3] = ["repo", "docs", "workflow"];

/// Drops entries that refer to nothing, with a problem for each.
pub(crate) fn references(layered: &mut LayeredConfig, problems: &mut Vec<Problem>) {
    let LayeredConfig { config, rejected, broken_bundles, clients, oauth, .. } = layered;
    let Config { servers, bundles, roles, workflows, .. } = config;
    let mut dangling = DanglingReferences { rejected, problems };
    let known_servers = || servers.keys().map(ServerId::as_str).chain(BUILTIN_SERVERS);
    // One that is wrong in another way too is told of both.
    for (id, (server, at)) in broken_bundles.iter() {
        let is_known = ServerId::parse(server).is_err()
            || known_servers().any(|known| known == server)
            || dangling.is_rejected(EntryKind::Server, server);
        if dangling.is_rejected(EntryKind::Bundle, id) && !is_known {
            let message = format!("Unknown serverId '{server}' referenced by bundle '{id}'");
            let help = did_you_mean(server, known_servers());
            dangling.problems.push(Problem { help, ..problem(at, "unknown-server", message) });
        }
    }
    bundles.retain(|id, entry| {
        let server = &entry.value.server;
        let known = server.is_local()
            || servers.contains_key(server)
            || dangling.is_rejected(EntryKind::Server, server.as_str())
            || BUILTIN_SERVERS.contains(&server.as_str());
        if !known {
            let named = |at: &&Origin| at.key.ends_with(".server") || at.key.ends_with("erverId");
            let at = entry.values.iter().find(named).unwrap_or(&entry.origin);
            let message = format!("Unknown serverId '{server}' referenced by bundle '{id}'");
            let help = did_you_mean(server.as_str(), known_servers());
            dangling.refuse(
                EntryKind::Bundle,
                id.as_str(),
                entry,
                ("unknown-server", at),
                (message, help),
            );
        }
        known
    });
    let unknown = |dangling: &DanglingReferences<'_>, bundle: &BundleId| {
        !bundles.contains_key(bundle) && !dangling.is_rejected(EntryKind::Bundle, bundle.as_str())
    };
    roles.retain(|id, entry| {
        let named = entry.value.bundles.iter();
        let missing: Vec<_> = named.filter(|bundle| unknown(&dangling, bundle)).collect();
        for bundle in &missing {
            let at = value_at(entry, "bundles");
            let message = format!("role '{id}' names the bundle '{bundle}', which does not exist");
            let help = did_you_mean(bundle.as_str(), bundles.keys().map(BundleId::as_str));
            dangling.refuse(
                EntryKind::Role,
                id.as_str(),
                entry,
                ("unknown-bundle", at),
                (message, help),
            );
        }
        missing.is_empty()
    });
    workflows.retain(|id, entry| {
        let steps = entry.value.roles.iter().flat_map(|(role, steps)| {
            steps.iter().map(move |(step, bundles)| (format!("{role}.{step}"), bundles))
        });
        let missing: Vec<_> = steps
            .flat_map(|(step, bundles)| bundles.iter().map(move |bundle| (step.clone(), bundle)))
            .filter(|(_, bundle)| unknown(&dangling, bundle))
            .collect();
        for (step, bundle) in &missing {
            let at = value_at(entry, step);
            let message =
                format!("workflow '{id}' names the bundle '{bundle}', which does not exist");
            let help = did_you_mean(bundle.as_str(), bundles.keys().map(BundleId::as_str));
            dangling.refuse(
                EntryKind::Workflow,
                id.as_str(),
                entry,
                ("unknown-bundle", at),
                (message, help),
            );
        }
        missing.is_empty()
    });
    // One that does not exist stays the client's all the same: then it has nothing.
    for (client, settings) in &config.gateway.clients {
        let role = settings.role.as_ref().filter(|role| {
            !roles.contains_key(*role) && !dangling.is_rejected(EntryKind::Role, role.as_str())
        });
        if let (Some(role), Some(at)) = (role, &*clients) {
            let message = format!("client '{client}' has the role '{role}', which does not exist");
            dangling.problems.push(problem(at, "unknown-role", message));
        }
    }
    let claimed = config.gateway.oauth.iter().flat_map(|issuer| &issuer.roles);
    for (value, claimed) in claimed {
        let ClaimedRole::Role(role) = claimed else { continue };
        let is_known =
            roles.contains_key(role) || dangling.is_rejected(EntryKind::Role, role.as_str());
        if let (false, Some(at)) = (is_known, &*oauth) {
            let message = format!("'{value}' means the role '{role}', which does not exist");
            dangling.problems.push(problem(at, "unknown-role", message));
        }
    }
}

/// Entries that name what does not exist, as they are found. What was already refused is no news
/// to those that name it.
struct DanglingReferences<'a> {
    rejected: &'a mut IndexMap<(EntryKind, String), RejectedEntry>,
    problems: &'a mut Vec<Problem>,
}

impl DanglingReferences<'_> {
    fn is_rejected(&self, kind: EntryKind, id: &str) -> bool {
        self.rejected.contains_key(&(kind, id.to_owned()))
    }

    fn refuse<T>(
        &mut self,
        kind: EntryKind,
        id: &str,
        entry: &Entry<T>,
        (rule, at): (&'static str, &Origin),
        (message, help): (String, Option<String>),
    ) {
        self.problems.push(Problem { help, ..problem(at, rule, message.clone()) });
        let (id, origin) = (id.to_owned(), entry.origin.clone());
        self.rejected
            .insert((kind, id.clone()), RejectedEntry { kind, id, origin, reason: message });
    }
}

/// The place of a value inside an entry, or the entry's own.
fn value_at<'e, T>(entry: &'e Entry<T>, key: &str) -> &'e Origin {
    let whole = format!("{}.{key}", entry.origin.key);
    entry.values.iter().find(|value| value.key == whole).unwrap_or(&entry.origin)
}

fn problem(at: &Origin, rule: &'static str, message: String) -> Problem {
    Problem {
        severity: Severity::Error,
        rule,
        source: Arc::clone(&at.source),
        key: at.key.clone(),
        line: at.line,
        message,
        help: None,
    }
}

/// The rules of profile `production-http`. A server that breaks one is rejected like any bad entry.
pub(crate) fn production(
    layered: &mut LayeredConfig,
    variables: &Variables,
    problems: &mut Vec<Problem>,
) {
    let LayeredConfig { config, rejected, caller_auth, production, listen, .. } = layered;
    if config.profile != Profile::ProductionHttp {
        return;
    }
    config.servers.retain(|id, entry| {
        let faults = if entry.value.enabled {
            production_faults(id.as_str(), &entry.value.transport, variables)
        } else {
            Vec::new()
        };
        let sound = faults.is_empty();
        for (rule, reason) in faults {
            problems.push(problem(&entry.origin, rule, reason.clone()));
            let (kind, id, origin) = (EntryKind::Server, id.to_string(), entry.origin.clone());
            rejected.insert((kind, id.clone()), RejectedEntry { kind, id, origin, reason });
        }
        sound
    });
    if config.gateway.auth == CallerAuth::None {
        let message = "this profile needs callers to prove who they are".to_owned();
        let help = Some("use `auth = \"token\"` or `auth = \"oauth\"`".to_owned());
        // It is never the default, so some layer said it.
        problems.extend(
            caller_auth
                .as_ref()
                .map(|at| Problem { help, ..problem(at, "production-auth", message) }),
        );
    }
    if config.gateway.entrance == HttpEntrance::Plain {
        let message = "this profile needs connections that nobody on the way can read".to_owned();
        let help = "set `[gateway.tls]`, or name the proxy in front in `gateway.tls_proxies`";
        // A configuration that is only held to the profile, and says nothing of a listener, has none.
        problems.extend(production.as_ref().or(listen.as_ref()).map(|at| Problem {
            help: Some(help.to_owned()),
            ..problem(at, "production-tls", message)
        }));
    }
}

fn production_faults(
    id: &str,
    transport: &Transport,
    variables: &Variables,
) -> Vec<(&'static str, String)> {
    let remote = match transport {
        Transport::Builtin | Transport::Commands(_) => return Vec::new(),
        Transport::Stdio(_) => {
            let message =
                format!("server '{id}' is a local process; this profile allows remote ones");
            return vec![("production-stdio", message)];
        }
        Transport::Remote(remote) => remote,
    };
    let by_name = remote.headers.values().filter_map(|value| match value {
        HeaderValue::FromEnv(name) => Some(name),
        HeaderValue::Given(_) => None,
    });
    let unset = by_name.chain(&remote.bearer_token_env).filter(|name| is_unset(name, variables));
    unset
        .map(|name| ("production-token", format!("server '{id}' needs the variable {name}")))
        .collect()
}
