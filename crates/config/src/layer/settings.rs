//! The settings of a layer, which only a person's own layers may have.

use toolgate_types::Grade;
use toolgate_types::config::Profile;

use super::{Layered, Structure};
use crate::meaning;
use crate::place::Place;
use crate::problem::Severity;
use crate::reader::Reader;
use crate::tree::Value;

/// Sections that would let a cloned repository change the rules it is judged by.
const NOT_FOR_PROJECTS: [&str; 6] =
    ["gateway", "audit", "approval", "limits", "profile", "sandbox"];

pub(super) fn read(reader: &mut Reader<'_>, structure: &Structure<'_>, layered: &mut Layered) {
    // A project may open or close what it brings itself, and not overrule a person.
    if let Some(place) = structure.section("surface")
        && (reader.grade == Grade::Person || layered.surface.is_none())
    {
        layered.surface = Some(matches!(place.node.value, Value::Bool(true)));
    }
    if reader.grade == Grade::Project {
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
        let gateway = meaning::gateway(reader, place, raw, &config.gateway);
        if place.find(&["enable_mcp_server_surface"]).is_some() {
            layered.surface = Some(gateway.enable_mcp_server_surface);
        }
        if reader.errors() == before {
            if let Some(at) = place.find(&["auth"]) {
                layered.caller_auth = Some(reader.origin(&at));
            }
            config.gateway = gateway;
        }
    }
    if let Some(place) = structure.section("approval")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.approval = meaning::approval(reader, place, raw, &config.approval);
    }
    if let Some(place) = structure.section("sandbox")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.sandbox = meaning::sandbox(raw, &config.sandbox);
    }
    if let Some(place) = structure.section("audit")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.audit = meaning::audit(raw, &config.audit);
    }
    if let Some(place) = structure.section("limits")
        && let Some(raw) = reader.read(place, place.node)
    {
        config.limits = meaning::limits(reader, place, raw, &config.limits);
    }
    if let Some(place) = structure.section("profile")
        && let Some(profile) = reader.read::<Profile>(place, place.node)
    {
        config.profile = profile;
    }
}

fn refuse(reader: &mut Reader<'_>, name: &str, place: &Place<'_>) {
    let message = format!("a project cannot set `{name}`: the file may come from someone else");
    let help = Some("put it into your own file, see `toolgate config path`".to_owned());
    reader.report(Severity::Error, place, "not-for-projects", message, help);
}
