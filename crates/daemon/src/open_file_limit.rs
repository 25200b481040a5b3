//! Open files of a daemon: as many as its connections and servers may need.
//!
//! Not simply all that the system permits: what is started from here inherits the limit, and some
//! programs go through every number below it.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use toolgate_types::config::LimitsSection;

/// What a local server takes: its three streams and the pipe that its keeper watches.
const FOR_A_SERVER: u64 = 4;

/// What there is besides: the store, logs, sockets, watched folders, windows.
const BESIDES: u64 = 512;

/// Sees to it that there are enough. The limits as they can be held with what there is.
pub(crate) fn fit_open_files(limits: &LimitsSection) -> LimitsSection {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return limits.clone() };
    let wanted = needed(limits).min(hard);
    let has = match soft < wanted {
        true if setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() => wanted,
        _ => soft,
    };
    let connections = connections_within(limits, has);
    if connections < limits.connections {
        tracing::warn!(
            target: "toolgate",
            open_files = has,
            connections,
            "the system permits too few open files for `limits.connections`"
        );
    }
    LimitsSection { connections, ..limits.clone() }
}

fn needed(limits: &LimitsSection) -> u64 {
    u64::from(limits.connections) + FOR_A_SERVER * u64::from(limits.pool_servers) + BESIDES
}

/// Half of what there is, where it is not enough for all: servers and the store want some too.
fn connections_within(limits: &LimitsSection, open_files: u64) -> u32 {
    match open_files >= needed(limits) {
        true => limits.connections,
        false => limits.connections.min(u32::try_from(open_files / 2).unwrap_or(u32::MAX)).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_half_of_too_few_files_to_everything_else() {
        let limits =
            LimitsSection { connections: 1_000, pool_servers: 100, ..LimitsSection::default() };
        assert_eq!(needed(&limits), 1_912);
        assert_eq!(connections_within(&limits, 1_912), 1_000);
        assert_eq!(connections_within(&limits, 1_911), 955);
        assert_eq!(connections_within(&limits, 1_024), 512);
        assert_eq!(connections_within(&limits, 1), 1);
        let few = LimitsSection { connections: 8, ..limits };
        assert_eq!(connections_within(&few, 256), 8);
    }
}
