//! Claude Code (`.mcp.json`, `~/.claude.json`) and Claude Desktop.
//!
//! Claude Code keeps three sets: the project's own file, the user's, and the user's for one
//! project. The last two stand in one file, and the last wins.

use super::dialect::{Dialect, never_off};
use super::draft::{Draft, Unit};
use super::mcp_servers;
use super::scene::{Scene, child};
use super::variables::Form;
use crate::place::Place;
use crate::tree::Value;

pub(super) const CODE: Dialect = Dialect {
    forms: &[Form::Braced, Form::Default],
    key: mcp_servers::KEY,
    tables: user_and_project,
    take: take_code,
    off,
};

/// It starts programs and expands nothing.
pub(super) const DESKTOP: Dialect = Dialect {
    forms: &[],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take: mcp_servers::take,
    off: never_off,
};

fn take_code(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "timeout" => draft.duration(value, Unit::Millis, &["tool_timeout_ms"]),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

fn user_and_project<'a>(scene: &Scene<'a>) -> Vec<Place<'a>> {
    let mut tables = mcp_servers::table(scene);
    tables.extend(project(scene).and_then(|project| child(&project, mcp_servers::KEY)));
    tables
}

/// What the user's file says about this workspace.
fn project<'a>(scene: &Scene<'a>) -> Option<Place<'a>> {
    let projects = scene.at(&["projects"])?;
    scene.request.project_keys.iter().find_map(|key| child(&projects, key))
}

/// Whether an entry stands in what the user's file says about one project. No other client's file
/// has such a part.
pub(super) fn is_of_project(entry: &Place<'_>) -> bool {
    entry.path.starts_with("projects.")
}

fn off(scene: &Scene<'_>, name: &str) -> Option<&'static str> {
    let list = child(&project(scene)?, "disabledMcpServers")?;
    let Value::Array(names) = &list.node.value else { return None };
    let is_listed = names.iter().any(|listed| listed.string() == Some(name));
    is_listed.then_some("off, because `disabledMcpServers` of this project lists it")
}
