//! The settings of a layer, which only a person's own layers may have.

use toolgate_types::LayerGrade;
use toolgate_types::config::{CredentialStorage, Profile};

use super::{DocumentStructure, LayeredConfig};
use crate::meaning_of_keys;
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::reader::DocumentReader;
use crate::tree::ConfigValue;

/// Sections that would let a cloned repository change the rules it is judged by.
const NOT_FOR_PROJECTS: [&str; 8] = [
    "gateway",
    "audit",
    "approval",
    "limits",
    "profile",
    "sandbox",
    "auth_providers",
    "credentials",
];

pub(super) fn read(
    reader: &mut DocumentReader<'_>,
    structure: &DocumentStructure<'_>,
    layered: &mut LayeredConfig,
) {
    // A project may open or close what it brings itself, and not overrule a person.
    if let Some(place) = structure.section("surface")
        && (reader.grade == LayerGrade::Person || layered.surface.is_none())
    {
        layered.surface = Some(matches!(place.node.value, ConfigValue::Bool(true)));
    }
    if reader.grade == LayerGrade::Project {
        for name in NOT_FOR_PROJECTS {
            if let Some(place) = structure.section(name) {
                refuse(reader, name, place);
            }
        }
        return;
    }
    let config = &mut layered.config;
    if let Some(place) = structure.section("gateway")
        && let Some(raw) = reader.read(place, place.node)
    {
        let before = reader.errors();
        let gateway = meaning_of_keys::gateway(reader, place, raw, &config.gateway);
        if place.find(&["enable_mcp_server_surface"]).is_some() {
            layered.surface = Some(gateway.enable_mcp_server_surface);
        }
        if reader.errors() == before {
            if let Some(at) = place.find(&["auth"]) {
                layered.caller_auth = Some(reader.origin(&at));
            }
            if let Some(at) = place.find(&["oauth"]) {
                layered.oauth = Some(reader.origin(&at));
            }
            if let Some(at) = place.find(&["listen"]) {
                layered.listen = Some(reader.origin(&at));
            }
            if let Some(at) = place.find(&["clients"]) {
                layered.clients = Some(reader.origin(&at));
            }
            config.gateway = gateway;
        }
    }
    if let Some(place) = structure.section("approval")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.approval = meaning_of_keys::approval(reader, place, raw, &config.approval);
    }
    if let Some(place) = structure.section("sandbox")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.sandbox = meaning_of_keys::sandbox(raw, &config.sandbox);
    }
    if let Some(place) = structure.section("audit")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.audit = meaning_of_keys::audit(reader, place, raw, &config.audit);
    }
    if let Some(place) = structure.section("limits")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.limits = meaning_of_keys::limits(reader, place, raw, &config.limits);
    }
    if let Some(place) = structure.section("profile")
        && let Some(profile) = reader.read::<Profile>(place, place.node)
    {
        config.profile = profile;
        let asks = profile == Profile::ProductionHttp;
        layered.production = asks.then(|| reader.origin(place));
    }
    if let Some(place) = structure.section("auth_providers") {
        for (id, at) in place.members() {
            let raw = reader.read(&at, at.node);
            match raw.and_then(|raw| meaning_of_keys::auth_provider(reader, &at, raw)) {
                Some(provider) => drop(config.auth_providers.insert(id.to_owned(), provider)),
                // A broken one gives nothing, and neither does the one that it was to replace.
                None => drop(config.auth_providers.shift_remove(id)),
            }
        }
    }
    if let Some(place) = structure.section("credentials")
        && let Some(credentials) = reader.read::<CredentialStorage>(place, place.node)
    {
        config.credentials = credentials;
    }
}

fn refuse(reader: &mut DocumentReader<'_>, name: &str, place: &DocumentPlace<'_>) {
    let message = format!("a project cannot set `{name}`: the file may come from someone else");
    let help = Some("put it into your own file, see `toolgate config path`".to_owned());
    reader.report(Severity::Error, place, "not-for-projects", message, help);
}
