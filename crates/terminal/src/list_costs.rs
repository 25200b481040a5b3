//! What lists of tools cost, as a person reads it: a line for each list, and one for each server in it.

use toolgate_types::config::Exposure;
use toolgate_types::{ListCost, ServerListCost};

use crate::table::table;

const LISTS: [&str; 6] =
    ["tool list of", "exposure", "tools", "tokens", "all listed", "meta saves"];

/// A line for each list.
pub fn list_costs(costs: &[ListCost]) -> String {
    let rows: Vec<_> = costs.iter().map(cells).collect();
    table(&LISTS, &rows)
}

/// A line for each server of each list, as if all its tools were listed.
pub fn server_costs(costs: &[ListCost]) -> String {
    let row = |cost: &ListCost, one: &ServerListCost| {
        let ServerListCost { server, figures } = one;
        vec![cost.reader(), server.clone(), figures.tools.to_string(), figures.tokens.to_string()]
    };
    let of_list =
        |cost: &ListCost| cost.servers.iter().map(|one| row(cost, one)).collect::<Vec<_>>();
    let rows: Vec<_> = costs.iter().flat_map(of_list).collect();
    table(&["tool list of", "server", "tools", "tokens"], &rows)
}

fn cells(cost: &ListCost) -> Vec<String> {
    let exposure = match cost.exposure {
        Exposure::Auto => format!("auto: {}", cost.lists),
        said => said.to_string(),
    };
    vec![
        cost.reader(),
        exposure,
        cost.listed.tools.to_string(),
        cost.listed.tokens.to_string(),
        cost.direct.tokens.to_string(),
        cost.meta_saves.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use toolgate_types::ListFigures;

    use super::*;

    #[test]
    fn a_line_says_whose_list_it_is_and_what_it_costs() {
        let figures = |tools, tokens| ListFigures { tools, tokens };
        let server = ServerListCost { server: "git".to_owned(), figures: figures(120, 30_000) };
        let everybody = ListCost {
            role: None,
            client: None,
            exposure: Exposure::Auto,
            lists: Exposure::Meta,
            listed: figures(4, 300),
            direct: figures(120, 30_000),
            meta: figures(4, 300),
            meta_saves: 29_700,
            servers: vec![server],
        };
        let of_client = ListCost {
            client: Some("codex".to_owned()),
            role: Some("reader".to_owned()),
            exposure: Exposure::Direct,
            lists: Exposure::Direct,
            listed: figures(1, 20),
            direct: figures(1, 20),
            meta_saves: 0,
            servers: Vec::new(),
            ..everybody
        };
        let costs = [everybody, of_client];
        let text = "\
tool list of               exposure    tools  tokens  all listed  meta saves
everybody                  auto: meta  4      300     30000       29700
client codex, role reader  direct      1      20      20          0
";
        assert_eq!(list_costs(&costs), text);
        let text = "tool list of  server  tools  tokens\neverybody     git     120    30000\n";
        assert_eq!(server_costs(&costs), text);
    }
}
