//! Hosts as the benchmarks need them: no policy, and a configuration written as people write it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;
use toolgate_guard::AllowEverything;
use toolgate_host::{Guard, Host, HostBuilder};
use toolgate_types::ServerId;
use toolgate_types::config::Config;

use crate::Failure;
use crate::serving::Server;

/// A configuration with these servers.
pub(crate) fn config(servers: Value) -> Result<Config, Failure> {
    let written = serde_json::json!({ "version": 1, "servers": servers });
    let mut config = toolgate_config::parse_mcp_config(&written)
        .map_err(|problems| format!("the benchmark's own configuration: {problems}"))?;
    // A list that is asked for anew in the middle would be measured too.
    config.limits.tools_ttl = toolgate_types::Milliseconds::at_least_one(3_600_000);
    Ok(config)
}

/// A host where everything may be called.
pub(crate) fn open() -> HostBuilder {
    let guard = Guard::without_policy(AllowEverything::insecure_no_policy());
    Host::builder().guard(guard).workspace("/")
}

pub(crate) fn id(name: &str) -> Result<ServerId, Failure> {
    Ok(ServerId::parse(name).map_err(|error| format!("{name}: {error:?}"))?)
}

/// With a server in our own process.
pub(crate) fn in_process(
    builder: HostBuilder,
    name: &str,
    server: Server,
) -> Result<HostBuilder, Failure> {
    let server = Arc::new(server);
    let serve = move || Arc::clone(&server).over_pipe();
    Ok(builder.builtin(id(name)?, Arc::new(serve)))
}

/// The result of `tools/list` with 200 tools as real servers describe theirs: 400 to 800 bytes each.
pub(crate) fn two_hundred_tools(product: &str) -> String {
    const VERBS: [&str; 10] = [
        "list", "get", "search", "create", "update", "delete", "archive", "assign", "export",
        "compare",
    ];
    const NOUNS: [&str; 20] = [
        "issues",
        "pull_requests",
        "branches",
        "commits",
        "releases",
        "labels",
        "milestones",
        "projects",
        "comments",
        "reviews",
        "workflows",
        "artifacts",
        "deployments",
        "secrets",
        "environments",
        "webhooks",
        "teams",
        "members",
        "packages",
        "discussions",
    ];
    let mut tools = String::new();
    for (place, noun) in NOUNS.iter().enumerate() {
        for verb in VERBS {
            let reads = matches!(verb, "list" | "get" | "search" | "export" | "compare");
            let more =
                "Results come in pages; ask for the next one with its cursor. ".repeat(place % 4);
            let comma = if tools.is_empty() { "" } else { "," };
            // Writing to a text cannot fail.
            let _ = write!(
                tools,
                r#"{comma}{{"name":"{product}_{verb}_{noun}","title":"{verb} {noun}","description":"Use this to {verb} {noun} of a project in {product}. {more}","inputSchema":{{"type":"object","properties":{{"project":{{"type":"string","description":"The project, as owner/name"}},"query":{{"type":"string","description":"Words to look for"}},"limit":{{"type":"integer","minimum":1,"maximum":100,"default":30}}}},"required":["project"],"additionalProperties":false}},"annotations":{{"readOnlyHint":{reads},"openWorldHint":true}}}}"#
            );
        }
    }
    format!(r#"{{"resultType":"complete","tools":[{tools}]}}"#)
}
