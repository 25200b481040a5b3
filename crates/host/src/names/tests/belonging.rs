//! A name belongs to its server, whatever state that server is in.

use super::*;

/// Every way in which a tool of `github` is or could be called.
const OF_GITHUB: [&str; 10] = [
    "github__push",
    "mcp__github__push",
    "mcp_github_push_03ff387e",
    "github.push",
    "github:push",
    "github/push",
    "GitHub__push",
    "GITHUB.push",
    "mcp__GitHub__push",
    "github--push",
];

/// Shows: S1-71.
#[test]
fn a_raw_name_that_looks_like_another_servers_is_never_resolved() {
    for naming in Naming::ALL {
        for raw in OF_GITHUB {
            let names = Tools::new(&[("evil", raw)]).names_beside(*naming, &[], &["github"]);
            for said in OF_GITHUB {
                assert_eq!(names.resolve(said), None, "{raw} as {said} under {naming:?}");
            }
            let listed = names.listed(0).unwrap_or_else(|| panic!("{raw} is lost"));
            assert_eq!(names.resolve(listed), Some(0));
            assert!(listed.contains("evil"), "{listed} says whose it is");
        }
    }
}

#[test]
fn a_raw_name_that_looks_like_its_own_server_or_like_nobodys_is_listed_as_it_is() {
    for raw in ["github__push", "push", "github_push", "mcp_thing", "a__b", "gith.ub", "__x"] {
        let names = Tools::new(&[("github", raw)]).names_beside(Naming::Bare, &[], &["other"]);
        assert_eq!(names.listed(0), Some(raw));
        assert_eq!(names.resolve(raw), Some(0));
    }
    let local = Tools::new(&[("x", "local.run")]).names(Naming::Bare, &[]);
    assert_eq!(local.resolve("local.run"), None, "command tools have a server's name too");
}

#[test]
fn an_id_that_could_be_read_as_another_has_hashed_names() {
    let hashed = |server: &str, tool: &str, others: &[&str]| {
        let tools = Tools::new(&[(server, tool)]);
        let [joined, qualified, dotted, hashed] =
            [Naming::Joined, Naming::Qualified, Naming::Dotted, Naming::Hashed].map(|naming| {
                let names = tools.names_beside(naming, &[], others);
                for form in [
                    format!("{server}__{tool}"),
                    format!("mcp__{server}__{tool}"),
                    format!("{server}.{tool}"),
                ] {
                    assert_eq!(names.resolve(&form), None, "{form}");
                }
                names.listed(0).unwrap().to_owned()
            });
        assert!(joined == hashed && qualified == hashed && dotted == hashed, "{server}");
        hashed
    };
    assert_eq!(hashed("a__b", "c", &[]), "mcp_a__b_c_ce06b84b");
    assert_eq!(hashed("GitHub", "push", &["github"]), "mcp_GitHub_push_1764a38b");
    hashed("my-app", "t", &["my_app"]);
    hashed("my_app", "t", &["My-App"]);
    assert_eq!(listed(Naming::Bare, &[("a__b", "c")]), ["c"]);
    assert_eq!(
        listed(Naming::Joined, &[("my-app", "t"), ("myapp", "t")]),
        ["my-app__t", "myapp__t"]
    );
}

#[test]
fn a_name_that_two_ids_begin_is_hashed_for_whoever_could_take_it() {
    // `a___x` is the tool `_x` of `a` and the tool `x` of `a_`.
    let tools = Tools::new(&[("a", "_x"), ("a_", "x")]);
    let names = tools.names(Naming::Joined, &[]);
    assert_eq!(names.resolve("a___x"), None);
    assert!((0..2).all(|tool| names.listed(tool).is_some_and(|name| name.starts_with("mcp_"))));
    // A server called `mcp`, whose joined names are everybody's qualified ones.
    let names =
        Tools::new(&[("mcp", "github__push")]).names_beside(Naming::Joined, &[], &["github"]);
    assert_eq!(names.resolve("mcp__github__push"), None);
    // The joined names of one are hashed names of the other.
    let names = Tools::new(&[("mcp_github", "push_0123abcd")]).names_beside(
        Naming::Joined,
        &[],
        &["github_"],
    );
    assert_eq!(names.resolve("mcp_github__push_0123abcd"), None);
}

/// Eight digits are found by trying some thousand million times; those of a name that may be another
/// server's are more.
#[test]
fn a_hashed_name_that_another_server_could_have_has_a_tag_that_cannot_be_found_by_trying() {
    let digits = |name: &str| name.rsplit('_').next().unwrap().len();
    let of = |server: &str, tool: &str, others: &[&str]| {
        let names = Tools::new(&[(server, tool)]).names_beside(Naming::Hashed, &[], others);
        names.listed(0).unwrap().to_owned()
    };
    assert_eq!(digits(&of("a", "b_x", &["c"])), 8);
    let twin = of("a", "b_x", &["a_b"]);
    assert!(twin.starts_with("mcp_a_b_x_") && digits(&twin) == 24, "{twin}");
    assert_eq!(digits(&of("a_b", "x", &["a"])), 8, "only it can have this one");
}

#[test]
fn a_shortened_id_is_no_other_id_and_none_begins_with_it() {
    let (server, tool) = ("my-company-internal-documentation", "get-library-docs");
    let listed = |naming, others: &[&str]| {
        let names = Tools::new(&[(server, tool)]).names_beside(naming, &[], others);
        let name = names.listed(0).unwrap().to_owned();
        assert_eq!(names.resolve(&name), Some(0));
        name
    };
    let plain = listed(Naming::Joined, &[]);
    let (short, _) = plain.split_once("__").unwrap();
    assert!(short.len() < server.len() && plain.ends_with(tool), "{plain}");
    let onwards = [format!("{short}_x"), format!("{short}__x"), format!("{short}-x")];
    for other in std::iter::once(short).chain(onwards.iter().map(String::as_str)) {
        for naming in [Naming::Joined, Naming::Qualified, Naming::Hashed] {
            let name = listed(naming, &[other]);
            let own = name.trim_start_matches("mcp_").trim_start_matches('_');
            assert!(!own.starts_with(&format!("{short}_")), "{name} beside {other}");
        }
    }
    // And nobody else's name begins as if it were that server's.
    let (named, other) = (format!("{short}__{tool}"), format!("{short}.{tool}"));
    for raw in [&named, &other, &format!("mcp__{named}"), &named.to_uppercase()] {
        for naming in Naming::ALL {
            let names = Tools::new(&[("evil", raw)]).names_beside(*naming, &[], &[server]);
            assert_eq!(names.resolve(raw), None, "{raw} under {naming:?}");
        }
    }
}

#[test]
fn long_ids_that_begin_alike_stay_apart() {
    let (one, other) = (format!("{}1", "s".repeat(60)), format!("{}2", "s".repeat(60)));
    let tools = Tools::new(&[(&one, "t"), (&other, "t")]);
    for naming in [Naming::Joined, Naming::Qualified, Naming::Hashed] {
        let names = tools.names(naming, &[]);
        let [first, second] = [0, 1].map(|tool| names.listed(tool).unwrap());
        let [whose, others] = [&one, &other].map(|id| NameTag::of_id(id).digits(TAG));
        assert!(first.contains(&whose) && second.contains(&others) && whose != others);
        let alone = Tools::new(&[(&one, "t")]).names_beside(naming, &[], &[&other]);
        assert_eq!((alone.listed(0), alone.resolve(second)), (Some(first), None));
    }
}
