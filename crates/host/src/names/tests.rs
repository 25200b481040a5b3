//! The five forms to the letter, and what each resolves to.
//!
//! The tags were computed apart: `printf %s server:tool | sha256sum`.

mod belonging;
mod hostile;
mod properties;

use super::*;

/// Tools by server and raw name, in the order of the configuration.
struct Tools(Vec<(ServerId, String)>);

impl Tools {
    fn new<T: AsRef<str>>(tools: &[(&str, T)]) -> Self {
        let tool = |(server, tool): &(&str, T)| {
            (ServerId::parse(server).unwrap(), tool.as_ref().to_owned())
        };
        Self(tools.iter().map(tool).collect())
    }

    /// Where no other server is configured.
    fn names(&self, naming: Naming, reserved: &[&str]) -> ToolNames {
        self.names_beside(naming, reserved, &[])
    }

    /// Where these are configured too, and have no tools to be seen.
    fn names_beside(&self, naming: Naming, reserved: &[&str], others: &[&str]) -> ToolNames {
        let named: Vec<_> =
            self.0.iter().map(|(server, tool)| NamedTool { server, tool }).collect();
        let others: Vec<_> = others.iter().map(|id| ServerId::parse(id).unwrap()).collect();
        let ids = self.0.iter().map(|(server, _)| server).chain(&others);
        ToolNames::build(naming, &named, reserved, Arc::new(ConfiguredIds::new(ids)))
    }

    fn listed(&self, naming: Naming) -> Vec<String> {
        let names = self.names(naming, &[]);
        let name = |index| names.listed(index).unwrap_or("(set aside)").to_owned();
        (0..self.0.len()).map(name).collect()
    }
}

fn listed(naming: Naming, tools: &[(&str, &str)]) -> Vec<String> {
    Tools::new(tools).listed(naming)
}

const LONG: &str = "long_name_long_name_long_name_long_name_long_name_long_name_\
                    long_name_long_name_long_name_long_name_long_name_long_name_";

const S64: &str = "ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss";

/// Shows: S1-70.
#[test]
fn a_hashed_name_is_server_slug_and_tag() {
    let tools = [
        ("github", "list_issues", "mcp_github_list_issues_04f82c1b"),
        ("GitHub", "List Issues!", "mcp_GitHub_list_issues_52cf255a"),
        ("fs", "日本", "mcp_fs_tool_580cb30a"),
        ("fs", "größe.Maß", "mcp_fs_gr_e_ma_78e8291e"),
        ("fs", "a_ b", "mcp_fs_a__b_83c14708"),
        ("docs", "___", "mcp_docs_tool_b72c4358"),
        ("docs", LONG, "mcp_docs_long_name_long_name_long_name_long_name_long__5e8744a9"),
        (S64, "t", "mcp_sssssssssssssssssssssssssssssssssssssss_97910651_t_65a128e5"),
    ];
    for (server, tool, name) in tools {
        assert_eq!(listed(Naming::Hashed, &[(server, tool)]), [name]);
    }
}

/// Shows: S4-14.
#[test]
fn a_qualified_name_is_sanitised_and_has_a_tag_only_beyond_64() {
    let tools = [
        ("github", "list_issues", "mcp__github__list_issues"),
        ("GitHub", "List Issues!", "mcp__GitHub__List_Issues_"),
        ("fs", "日本", "mcp__fs____"),
        ("docs", LONG, "mcp__docs__long_name_long_name_long_name_long_name_long_5e8744a9"),
        (S64, "t", "mcp__sssssssssssssssssssssssssssssssssssssssssssssss_97910651__t"),
    ];
    for (server, tool, name) in tools {
        assert_eq!(listed(Naming::Qualified, &[(server, tool)]), [name]);
    }
    let fits = "t".repeat(64 - "mcp__fs__".len());
    assert_eq!(listed(Naming::Qualified, &[("fs", &fits)]), [format!("mcp__fs__{fits}")]);
    assert_eq!(listed(Naming::Qualified, &[("fs", &format!("{fits}t"))])[0].len(), 64);
}

#[test]
fn a_joined_name_is_sanitised_and_has_a_tag_only_beyond_48() {
    let tools = [
        ("github", "list_issues", "github__list_issues"),
        ("fs", "größe.Maß", "fs__gr__e_Ma_"),
        ("docs", LONG, "docs__long_name_long_name_long_name_lon_5e8744a9"),
        (S64, "t", "ssssssssssssssssssssssssssssssssssss_97910651__t"),
    ];
    for (server, tool, name) in tools {
        assert_eq!(listed(Naming::Joined, &[(server, tool)]), [name]);
    }
    let fits = "t".repeat(48 - "fs__".len());
    assert_eq!(listed(Naming::Joined, &[("fs", &fits)]), [format!("fs__{fits}")]);
    assert_eq!(listed(Naming::Joined, &[("fs", &format!("{fits}t"))])[0].len(), 48);
}

#[test]
fn of_a_long_id_less_is_shown_before_the_tool_loses_a_letter() {
    let server = "my-company-internal-documentation";
    let tools = [
        ("find", "my-company-internal-documentation__find"),
        ("get-library-docs", "my-company-internal-d_9e6f5d62__get-library-docs"),
        ("resolve-library-id", "my-company-internal_9e6f5d62__resolve-library-id"),
        ("get_pull_request_review_comments", "my-co_9e6f5d62__get_pull_request_review_comments"),
        (
            "a_tool_whose_name_is_as_long_as_most_names_ever_get_to_be",
            "my_9e6f5d62__a_tool_whose_name_is_as_lo_0e87cd4a",
        ),
    ];
    for (tool, name) in tools {
        let names = Tools::new(&[(server, tool)]).names(Naming::Joined, &[]);
        assert_eq!(names.listed(0), Some(name));
        assert!(name.len() <= 48 && names.resolve(name) == Some(0));
        assert!(may_name(name, &ServerId::parse(server).unwrap()), "{name} says whom to ask");
        assert_eq!(names.resolve(&format!("{server}.{tool}")), Some(0));
    }
}

#[test]
fn dotted_and_bare_names_are_verbatim() {
    let tools = [("fs", "größe.Maß"), ("docs", LONG)];
    assert_eq!(listed(Naming::Dotted, &tools), ["fs.größe.Maß", &format!("docs.{LONG}")]);
    assert_eq!(listed(Naming::Bare, &tools), ["größe.Maß", LONG]);
    let legacy = [("codex", "codex"), ("codex", "codex-reply")];
    assert_eq!(listed(Naming::Bare, &legacy), ["codex", "codex-reply"]);
}

#[test]
fn tools_that_would_share_a_name_all_get_the_tag() {
    let sanitised_alike = [("a", "x.y"), ("a", "x_y")];
    let joined = ["a__x_y_0dcb20a1", "a__x_y_a8708825"];
    assert_eq!(listed(Naming::Joined, &sanitised_alike), joined);
    assert_eq!(
        listed(Naming::Hashed, &sanitised_alike),
        ["mcp_a_x_y_0dcb20a1", "mcp_a_x_y_a8708825"]
    );
}

#[test]
fn a_bare_name_goes_to_the_first_and_the_other_is_set_aside_with_the_reason() {
    let tools = Tools::new(&[("docs", "search"), ("code", "search"), ("code", "find")]);
    let names = tools.names(Naming::Bare, &[]);
    assert_eq!(names.listed(0), Some("search"));
    assert_eq!(names.listed(1), None);
    assert_eq!(names.listed(2), Some("find"));
    let reason = "`search` is already the name of docs/search".to_owned();
    assert_eq!(names.set_aside(), [(1, reason)]);
    assert_eq!(names.resolve("search"), Some(0));
    for form in ["code__search", "mcp__code__search", "code.search"] {
        assert_eq!(names.resolve(form), Some(1), "{form}");
    }
}

/// Shows: S1-71, C1.
#[test]
fn every_form_is_understood_whichever_is_listed() {
    let tools = Tools::new(&[("docs", "search"), ("GitHub", "List Issues!")]);
    for naming in Naming::ALL {
        let names = tools.names(*naming, &[]);
        for (form, tool) in [
            ("mcp_GitHub_list_issues_52cf255a", 1),
            ("mcp__GitHub__List_Issues_", 1),
            ("GitHub__List_Issues_", 1),
            ("GitHub.List Issues!", 1),
            ("docs.search", 0),
        ] {
            assert_eq!(names.resolve(form), Some(tool), "{form} under {naming:?}");
        }
        for (bare, tool) in [("List Issues!", 1), ("search", 0)] {
            let meant = (*naming == Naming::Bare).then_some(tool);
            assert_eq!(names.resolve(bare), meant, "{bare} under {naming:?}");
        }
        assert_eq!(names.resolve("docs__find"), None);
        assert_eq!(names.resolve(""), None);
    }
}

#[test]
fn what_a_server_calls_its_tool_means_nothing_unless_it_is_listed_so() {
    let tools = Tools::new(&[("docs", "search"), ("code", "search"), ("x", "code__search")]);
    for naming in Naming::ALL.iter().filter(|naming| **naming != Naming::Bare) {
        let names = tools.names(*naming, &[]);
        assert_eq!(names.resolve("search"), None, "{naming:?}");
        assert_eq!(names.resolve("code__search"), Some(1), "{naming:?}");
        assert_eq!(names.resolve("code.search"), Some(1), "{naming:?}");
    }
}

#[test]
fn a_tool_that_its_server_lists_twice_is_named_once() {
    let tools = Tools::new(&[("docs", "search"), ("docs", "search")]);
    for naming in Naming::ALL {
        let names = tools.names(*naming, &[]);
        assert_eq!(names.listed(1), None);
        let reason = "the server docs has two tools `search`".to_owned();
        assert_eq!(names.set_aside(), [(1, reason)]);
        assert_eq!(names.resolve("docs__search"), Some(0), "no tag: it is one tool");
    }
}
