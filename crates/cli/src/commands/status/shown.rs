//! The whole of a status as a person reads it: a table for each folder.

use std::time::SystemTime;

use toolgate_control::{AttachedWindow, DaemonInfo, ServerRow, SwitchedRole, WorkspaceStatus};
use toolgate_terminal::{byte_count, counted, list_costs, moment, one_line, table};
use toolgate_types::{since_1970, visible};

use super::SeenDaemon;

const NONE: &str = "no MCP servers configured";

const SERVERS: [&str; 11] = [
    "id",
    "transport",
    "source",
    "enabled",
    "state",
    "tools",
    "era",
    "pid",
    "memory",
    "calls",
    "last error",
];

pub(super) fn text(seen: &SeenDaemon) -> String {
    if !seen.workspaces.iter().any(WorkspaceStatus::has_servers) && !has_troubles(seen) {
        return format!("{NONE}\n");
    }
    let mut text = daemon(&seen.daemon);
    for workspace in &seen.workspaces {
        text.push_str(&of_workspace(workspace));
    }
    text
}

fn has_troubles(seen: &SeenDaemon) -> bool {
    seen.workspaces.iter().any(|one| one.refused.is_some() || !one.problems.is_empty())
}

fn daemon(info: &DaemonInfo) -> String {
    let DaemonInfo { version, pid, since, stays: _, endpoint: _, endpoints, windows } = info;
    let mut words = vec![
        format!("toolgate {}", visible(version)),
        format!("pid {pid}"),
        format!("started {}", past(*since)),
        counted(*windows, "window"),
    ];
    words.extend(endpoints.iter().map(|endpoint| visible(endpoint)));
    format!("{}\n", words.join(", "))
}

fn of_workspace(workspace: &WorkspaceStatus) -> String {
    let mut text = format!("\n{}", visible(&workspace.folder));
    if let Some(principal) = &workspace.principal {
        text.push_str(&format!(" (for {})", visible(principal)));
    }
    text.push('\n');
    if workspace.has_servers() {
        let rows: Vec<_> = workspace.configured().map(cells).collect();
        text.push_str(&indented(&table(&SERVERS, &rows)));
    } else {
        text.push_str(&format!("  {NONE}\n"));
    }
    if !workspace.lists.is_empty() {
        text.push('\n');
        text.push_str(&indented(&list_costs(&workspace.lists)));
    }
    if !workspace.attached.is_empty() {
        let rows: Vec<_> = workspace.attached.iter().map(visitor).collect();
        text.push('\n');
        text.push_str(&indented(&table(&["attached", "pid", "role", "since"], &rows)));
    }
    for (id, scope) in
        workspace.servers.iter().filter_map(|row| Some((&row.id, row.switched_off.as_ref()?)))
    {
        text.push_str(&format!("  {} is off by a switch ({})\n", visible(id), visible(scope)));
    }
    for AttachedWindow { pid, off, .. } in &workspace.attached {
        let pid = pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
        for id in off {
            text.push_str(&format!("  {} is off for the window of pid {pid}\n", visible(id)));
        }
    }
    if let Some(SwitchedRole { role, scope }) = &workspace.role_in_use {
        text.push_str(&format!("  role {} is in use ({})\n", visible(role), visible(scope)));
    }
    let trouble = |word: &str, words: &str| {
        let lines = words.lines().map(visible).collect::<Vec<_>>();
        format!("  {word}: {}\n", lines.join("\n    "))
    };
    if let Some(refused) = &workspace.refused {
        text.push_str(&trouble("the changed configuration does not count", refused));
    }
    for problem in &workspace.problems {
        text.push_str(&trouble("problem", problem));
    }
    text
}

fn cells(row: &ServerRow) -> Vec<String> {
    let none = || "-".to_owned();
    let calls = match row.in_flight {
        0 => row.calls.to_string(),
        running => format!("{} ({running} running)", row.calls),
    };
    vec![
        visible(&row.id),
        visible(&row.transport),
        visible(&row.source),
        if row.switched_off.is_some() { "off".to_owned() } else { row.enabled.to_string() },
        row.state.clone(),
        row.tools.map_or_else(none, |tools| tools.to_string()),
        row.era.clone().unwrap_or_else(none),
        row.pid.map_or_else(none, |pid| pid.to_string()),
        row.memory_bytes.map_or_else(none, byte_count),
        calls,
        match &row.last_error {
            Some(error) => one_line(error),
            None => none(),
        },
    ]
}

fn visitor(attached: &AttachedWindow) -> Vec<String> {
    let word = |word: &Option<String>| word.as_deref().map_or_else(|| "-".to_owned(), visible);
    let pid = attached.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
    vec![word(&attached.client), pid, word(&attached.role), past(attached.since)]
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// How long ago something was.
pub(super) fn past(millis: u64) -> String {
    moment::past(millis, since_1970(SystemTime::now()))
}
