//! Servers that choose the names of their tools to be taken for somebody else.

use super::*;

/// Shows: S1-73.
#[test]
fn no_form_of_a_servers_tool_means_a_built_in_one() {
    let reserved = ["mcp.list_tools", "mcp_list_tools", "a__b", "mcp__a__b", "mcp_a_b_6783a31e"];
    let tools = Tools::new(&[
        ("mcp", "list_tools"),
        ("x", "mcp_list_tools"),
        ("x", "mcp.list_tools"),
        ("a", "b"),
    ]);
    for naming in Naming::ALL {
        let names = tools.names(*naming, &reserved);
        for name in reserved {
            assert_eq!(names.resolve(name), None, "{name} under {naming:?}");
            assert!((0..4).all(|tool| names.listed(tool) != Some(name)), "{name} is given away");
        }
    }
    let dotted = tools.names(Naming::Dotted, &reserved);
    let reason = "`mcp.list_tools` is the name of a built-in tool".to_owned();
    assert_eq!(dotted.set_aside(), [(0, reason)]);
    let joined = tools.names(Naming::Joined, &reserved);
    assert_eq!(joined.set_aside(), [], "where a tag helps, nothing is set aside");
    assert_eq!(joined.listed(3), Some("a__b_6783a31e"));
}

#[test]
fn a_name_made_to_equal_a_tagged_one_does_not_get_it() {
    let victims = [("a", "x.y"), ("a", "x_y")];
    let guess = ("a", "x_y_0dcb20a1");
    for tools in [vec![guess, victims[0], victims[1]], vec![victims[0], victims[1], guess]] {
        let tools = Tools::new(&tools);
        for naming in [Naming::Joined, Naming::Qualified] {
            let names = tools.names(naming, &[]);
            assert_eq!(names.set_aside(), []);
        }
        let names = tools.names(Naming::Joined, &[]);
        let owner = names.resolve("a__x_y_0dcb20a1").unwrap();
        assert_eq!(tools.0[owner].1, "x.y");
    }
}

/// Two tools whose tags are equal as well; found by trying some hundred thousand.
#[test]
fn where_even_the_tags_are_equal_the_first_keeps_the_name_and_the_other_is_set_aside() {
    let first = format!("{}45944", "x".repeat(60));
    let second = format!("{}96124", "x".repeat(60));
    for (winner, loser) in [(&first, &second), (&second, &first)] {
        let tools = Tools::new(&[("s", winner), ("s", loser)]);
        for (naming, name) in [
            (Naming::Joined, format!("s__{}_18157513", "x".repeat(36))),
            (Naming::Qualified, format!("mcp__s__{}_18157513", "x".repeat(47))),
            (Naming::Hashed, format!("mcp_s_{}_18157513", "x".repeat(48))),
        ] {
            let names = tools.names(naming, &[]);
            assert_eq!(names.listed(0), Some(&*name));
            assert_eq!(names.listed(1), None);
            assert_eq!(names.set_aside()[0].0, 1);
            assert_eq!(names.resolve(&name), Some(0));
            let dotted = format!("s.{loser}");
            assert_eq!(names.resolve(&dotted), Some(1), "it can still be called otherwise");
        }
        let names = tools.names(Naming::Dotted, &[]);
        let shared = format!("s__{}_18157513", "x".repeat(36));
        assert_eq!(names.resolve(&shared), None, "not listed, it would be a guess");
    }
}

#[test]
fn a_listed_name_is_never_taken_over_by_another_form() {
    let tools = Tools::new(&[("x", "github__delete"), ("github", "delete")]);
    for naming in Naming::ALL {
        let names = tools.names(*naming, &[]);
        assert_eq!(names.resolve("github__delete"), Some(1), "{naming:?}");
    }
}

#[test]
fn a_reason_shows_hidden_characters() {
    let tools = Tools::new(&[("a", "x\u{202e}y"), ("b", "x\u{202e}y")]);
    let names = tools.names(Naming::Bare, &[]);
    let reason = "`x\\u{202e}y` is already the name of a/x\\u{202e}y".to_owned();
    assert_eq!(names.set_aside(), [(1, reason)]);
}
