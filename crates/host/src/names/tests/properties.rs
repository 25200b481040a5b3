//! What holds for any servers and any tools.

use proptest::prelude::*;

use super::*;

/// Few letters, so that names meet often; now and then a long or a foreign one.
fn tools() -> impl Strategy<Value = Vec<(String, String)>> {
    let server = prop_oneof![4 => "[ab_-]{1,4}", 1 => "[a-zA-Z0-9_-]{1,64}"];
    let tool = prop_oneof![
        6 => "[ab_.]{1,5}",
        1 => "\\PC{1,12}",
        1 => "[A-Za-z_]{30,90}",
        1 => "(mcp__|mcp_)?[ab]__[ab]{1,2}",
    ];
    prop::collection::vec((server, tool), 1..24)
}

fn built(tools: &[(String, String)]) -> Tools {
    let tools: Vec<_> = tools.iter().map(|(server, tool)| (server.as_str(), tool)).collect();
    Tools::new(&tools)
}

fn first_of(tools: &[(String, String)], index: usize) -> usize {
    tools.iter().position(|tool| *tool == tools[index]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Shows: S1-73.
    #[test]
    fn names_for_models_are_letters_digits_and_dashes_and_at_most_64(tools in tools()) {
        for (naming, most) in
            [(Naming::Hashed, 63), (Naming::Qualified, 64), (Naming::Joined, 48)]
        {
            for name in built(&tools).listed(naming) {
                if name == "(set aside)" {
                    continue;
                }
                let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                prop_assert!(name.chars().all(allowed), "{name}");
                prop_assert!((1..=most).contains(&name.len()), "{name}");
            }
        }
    }

    /// Shows: S1-71.
    #[test]
    fn a_name_of_any_form_means_its_own_tool_or_none(tools in tools()) {
        let built = built(&tools);
        let lists: Vec<_> =
            Naming::ALL.iter().map(|naming| (*naming, built.listed(*naming))).collect();
        for naming in Naming::ALL {
            let names = built.names(*naming, &[]);
            // A bare name is one only where it is listed.
            let counts = |form: &Naming| *form != Naming::Bare || form == naming;
            let lists = lists.iter().filter(|(form, _)| counts(form));
            for (index, name) in lists.flat_map(|(_, list)| list.iter().enumerate()) {
                let meant = names.resolve(name);
                prop_assert!(
                    meant.is_none_or(|meant| {
                        meant == first_of(&tools, index) || names.listed(meant) == Some(name)
                    }),
                    "{name} under {naming:?} means {meant:?}"
                );
            }
            for index in 0..tools.len() {
                if let Some(name) = names.listed(index) {
                    prop_assert_eq!(names.resolve(name), Some(index));
                }
            }
        }
    }

    /// What a view goes by that puts servers together and settles no name anew.
    #[test]
    fn names_that_are_plain_by_server_and_differ_are_those_of_all_and_of_any_part(
        tools in tools(),
        kept in prop::collection::vec(any::<bool>(), 24),
    ) {
        let reserved = ["a__b", "a.b", "b"];
        let ids: Vec<&str> = tools.iter().map(|(server, _)| server.as_str()).collect();
        let servers: HashSet<&str> = ids.iter().copied().collect();
        for naming in Naming::ALL {
            let mut plain = HashMap::new();
            let mut are_plain = true;
            for server in &servers {
                let own: Vec<_> =
                    tools.iter().filter(|(of, _)| of == server).cloned().collect();
                let names = built(&own).names_beside(*naming, &reserved, &ids);
                are_plain &= names.is_plain();
                for (place, tool) in own.into_iter().enumerate() {
                    plain.insert(tool, names.listed(place).map(str::to_owned));
                }
            }
            let different: HashSet<_> = plain.values().collect();
            if !are_plain || different.len() < plain.len() {
                continue;
            }
            let part = tools.iter().zip(&kept).filter(|(_, is_kept)| **is_kept);
            let part: Vec<_> = part.map(|(tool, _)| tool.clone()).collect();
            for tools in [&tools, &part] {
                let names = built(tools).names_beside(*naming, &reserved, &ids);
                for (place, tool) in tools.iter().enumerate() {
                    prop_assert_eq!(names.listed(place), plain[tool].as_deref());
                }
            }
        }
    }

    #[test]
    fn a_tool_is_either_listed_under_a_name_of_its_own_or_set_aside(tools in tools()) {
        for naming in Naming::ALL {
            let names = built(&tools).names(*naming, &["a__b", "a.b", "b"]);
            let mut seen = HashSet::new();
            for index in 0..tools.len() {
                let aside = names.set_aside().iter().filter(|(tool, _)| *tool == index).count();
                match names.listed(index) {
                    Some(name) => prop_assert!(seen.insert(name) && aside == 0),
                    None => prop_assert_eq!(aside, 1),
                }
            }
        }
    }

    /// Whatever the id: of a name of up to 34 letters nothing is lost, unless two would share it.
    #[test]
    fn a_tool_is_readable_in_its_name(
        server in "[a-z][a-z0-9-]{0,62}[a-z]",
        tool in "[a-z][a-z_]{0,31}[a-z]",
        others in prop::collection::vec("[a-z][a-z0-9-]{0,62}[a-z]", 0..6),
    ) {
        let others: Vec<_> = others.iter().filter(|id| **id != server).map(String::as_str).collect();
        let names = Tools::new(&[(&server, &tool)]).names_beside(Naming::Joined, &[], &others);
        let listed = names.listed(0).unwrap();
        prop_assert!(listed.ends_with(&format!("__{tool}")) || listed.starts_with("mcp_"), "{listed}");
        prop_assert!(listed.starts_with(&server[..1]) || listed.starts_with("mcp_"), "{listed}");
    }

    #[test]
    fn names_do_not_depend_on_the_order(tools in tools()) {
        let mut tools = tools;
        tools.sort();
        tools.dedup();
        let forwards = built(&tools);
        let turned: Vec<_> = tools.iter().rev().cloned().collect();
        let backwards = built(&turned);
        for naming in [Naming::Joined, Naming::Qualified, Naming::Hashed, Naming::Dotted] {
            let mut listed = backwards.listed(naming);
            listed.reverse();
            prop_assert_eq!(forwards.listed(naming), listed);
            let (one, other) = (forwards.names(naming, &[]), backwards.names(naming, &[]));
            for name in Naming::ALL.iter().flat_map(|form| forwards.listed(*form)) {
                let mirrored = other.resolve(&name).map(|index| tools.len() - 1 - index);
                prop_assert_eq!(one.resolve(&name), mirrored, "{}", name);
            }
        }
    }

    /// Whoever hides, lacks or denies its tools keeps their names all the same.
    #[test]
    fn no_name_of_a_server_without_tools_means_anothers(tools in tools(), which in 0usize..24) {
        let victim = tools[which % tools.len()].0.clone();
        let (hidden, left): (Vec<_>, Vec<_>) =
            tools.iter().cloned().partition(|(server, _)| *server == victim);
        let ids: Vec<&str> = tools.iter().map(|(server, _)| server.as_str()).collect();
        let everything = built(&tools);
        let (hidden, left) = (built(&hidden), built(&left));
        for naming in Naming::ALL {
            let names = left.names_beside(*naming, &[], &ids);
            for form in Naming::ALL.iter().filter(|form| **form != Naming::Bare) {
                let together = everything.names(*form, &[]);
                let alone = hidden.names_beside(*form, &[], &ids);
                let of_victim = (0..tools.len()).filter(|index| tools[*index].0 == victim);
                let listed = of_victim.filter_map(|index| together.listed(index));
                let listed = listed.chain((0..hidden.0.len()).filter_map(|index| alone.listed(index)));
                for name in listed {
                    prop_assert_eq!(names.resolve(name), None, "{} under {:?}", name, naming);
                }
            }
        }
    }
}
