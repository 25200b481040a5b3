//! Everything that is known of one server.

use serde::Serialize;
use toolgate_control::{DaemonInfo, ServerRow, WorkspaceStatus};
use toolgate_terminal::{byte_count, moment};
use toolgate_types::visible;

use super::shown::past;

/// The same for a program.
pub(super) struct StatusDetailsJson<'a> {
    pub(super) daemon: &'a DaemonInfo,
    pub(super) found: Vec<(&'a WorkspaceStatus, &'a ServerRow)>,
}

#[derive(Serialize)]
struct StatusServer<'a> {
    folder: &'a str,
    #[serde(flatten)]
    row: &'a ServerRow,
}

impl Serialize for StatusDetailsJson<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            daemon: &'a DaemonInfo,
            servers: Vec<StatusServer<'a>>,
        }
        let servers = self.found.iter();
        let servers =
            servers.map(|(workspace, row)| StatusServer { folder: &workspace.folder, row });
        Fields { daemon: self.daemon, servers: servers.collect() }.serialize(serializer)
    }
}

pub(super) fn text(found: &[(&WorkspaceStatus, &ServerRow)]) -> String {
    let all = found.iter().map(|(workspace, row)| of_one(workspace, row));
    all.collect::<Vec<_>>().join("\n")
}

fn of_one(workspace: &WorkspaceStatus, row: &ServerRow) -> String {
    let ServerRow {
        id,
        transport,
        source,
        origin,
        enabled,
        switched_off,
        state,
        tools,
        era,
        pid,
        processes,
        memory_bytes,
        calls,
        in_flight,
        isolation,
        failures,
        retry_in_ms,
        last_error,
        last_connected_at,
    } = row;
    let time = |millis: &u64| format!("{} ({})", moment::written(*millis), past(*millis));
    let mut lines = vec![
        ("id", Some(visible(id))),
        ("folder", Some(visible(&workspace.folder))),
        ("transport", Some(visible(transport))),
        ("source", Some(visible(source))),
        ("origin", Some(visible(origin)).filter(|origin| !origin.is_empty())),
        ("enabled", Some(enabled.to_string())),
        ("state", Some(state.clone())),
        ("tools", tools.map(|tools| tools.to_string())),
        ("era", era.clone()),
        ("isolation", Some(isolation.clone())),
        ("pid", pid.map(|pid| pid.to_string())),
        ("processes", Some(processes.to_string())),
        ("memory", memory_bytes.map(byte_count)),
        ("calls", Some(calls.to_string())),
        ("in_flight", Some(in_flight.to_string())),
        ("failures", Some(failures.to_string())),
        ("retry_in", retry_in_ms.map(|millis| format!("{} ms", millis))),
        ("last_connected_at", last_connected_at.as_ref().map(time)),
    ];
    if let Some(scope) = switched_off {
        lines.push(("switched_off", Some(visible(scope))));
    }
    if let Some(error) = last_error {
        let indented = error.lines().map(visible).collect::<Vec<_>>().join("\n                   ");
        lines.push(("last_error", Some(indented)));
    }
    let lines = lines.into_iter().map(|(name, value)| {
        let value = value.unwrap_or_else(|| "-".to_owned());
        format!("{name:<17}  {value}\n")
    });
    lines.collect()
}
