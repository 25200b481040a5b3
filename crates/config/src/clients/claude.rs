//! Claude Code (`.mcp.json`, `~/.claude.json`) and Claude Desktop.
//!
//! Claude Code keeps three sets: the project's own file, the user's, and the user's for one
//! project. The last two stand in one file, and the last wins.

use super::dialect::{ClientDialect, never_off};
use super::draft::{ServerDraft, TimeUnit};
use super::mcp_servers;
use super::scene::{ImportScene, child};
use super::variables::VariableForm;
use crate::place::DocumentPlace;
use crate::tree::{ConfigNode, ConfigValue};

pub(super) const CODE: ClientDialect = ClientDialect {
    forms: &[VariableForm::Braced, VariableForm::Default],
    key: mcp_servers::KEY,
    tables: user_and_project,
    take: take_code,
    off,
};

/// It starts programs and expands nothing.
pub(super) const DESKTOP: ClientDialect = ClientDialect {
    forms: &[],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take: mcp_servers::take,
    off: never_off,
};

fn take_code(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "timeout" => draft.duration(value, TimeUnit::Millis, &["tool_timeout_ms"]),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

fn user_and_project<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    let mut tables = mcp_servers::table(scene);
    tables.extend(project(scene).and_then(|project| child(&project, mcp_servers::KEY)));
    tables
}

/// What the user's file says about this workspace.
fn project<'a>(scene: &ImportScene<'a>) -> Option<DocumentPlace<'a>> {
    let projects = scene.at(&["projects"])?;
    scene.request.project_keys.iter().find_map(|key| child(&projects, key))
}

fn off(scene: &ImportScene<'_>, name: &str) -> Option<&'static str> {
    let list = child(&project(scene)?, "disabledMcpServers")?;
    let ConfigValue::Array(names) = &list.node.value else { return None };
    let is_listed = names.iter().any(|listed| listed.string() == Some(name));
    is_listed.then_some("off, because `disabledMcpServers` of this project lists it")
}

/// The servers of a project's own file that its person switched off, as one of the settings says.
pub(super) fn switched_off_in(root: &ConfigNode, project_keys: &[String]) -> Vec<String> {
    const KEY: &str = "disabledMcpjsonServers";
    let of_project = |key: &String| root.get("projects")?.get(key)?.get(KEY);
    let lists = root.get(KEY).into_iter().chain(project_keys.iter().filter_map(of_project));
    let names = lists.filter_map(|list| match &list.value {
        ConfigValue::Array(names) => Some(names.iter().filter_map(ConfigNode::string)),
        _ => None,
    });
    names.flatten().map(str::to_owned).collect()
}
