//! `toolgate tools search`: the tools that fit what is wanted, the best first, as agents find them.

use toolgate_daemon::{ListTools, ListedTools, ToolFind, ToolFinds};
use toolgate_terminal::{CommandOutput, one_line, table};

use crate::args::ToolsSearchArgs;
use crate::errand::{self, ErrandPlace};
use crate::failure::{CommandResult, Exit};
use crate::list_lines::report;
use crate::surroundings::Surroundings;

pub(super) fn run(
    arguments: &ToolsSearchArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ToolsSearchArgs { query, limit, catalog, role, at, cached, standalone } = arguments;
    let query = query.join(" ");
    if let Some(file) = catalog {
        show(&ToolFinds::in_file(file, query, *limit)?, output);
        return Ok(Exit::Ok);
    }
    let (role, cached) = (at.acting(role.as_deref()), *cached);
    let errand = ListTools { only: None, role, cached, with_costs: false, with_past: true };
    let listed = errand::run(&errand, ErrandPlace::new(*standalone), surroundings, output)??;
    let ListedTools { tools, missing, is_any_listed, .. } = listed;
    show(&ToolFinds::among(&tools, query, *limit), output);
    report(&missing, is_any_listed, output)
}

fn show(found: &ToolFinds, output: &mut CommandOutput) {
    let cells = |ToolFind { server, tool, description, .. }: &ToolFind| {
        let description = one_line(description.as_deref().unwrap_or_default());
        vec![server.clone(), tool.clone(), description]
    };
    match &found.tools[..] {
        _ if output.json => output.document_of(found),
        [] => output.line("no tool fits"),
        tools => {
            let rows: Vec<_> = tools.iter().map(cells).collect();
            output.raw(&table(&["server", "tool", "description"], &rows));
        }
    }
}
