//! Which variables a child gets.

use std::path::PathBuf;

use toolgate_types::{ConfigText, EnvName};

use super::*;

fn description(inherit: InheritEnv) -> Description {
    let source = BASELINE_VARIABLES.into_iter().chain(["SECRET", "GIVEN", "PASSED"]);
    let name = |name| EnvName::parse(name).unwrap();
    Description {
        program: ConfigText::Plain("tool".into()),
        args: Vec::new(),
        folder: PathBuf::from("/"),
        env: [("GIVEN", "entry"), ("TERM", "dumb")]
            .map(|(key, value)| (name(key), ConfigText::hidden(value.into())))
            .into_iter()
            .collect(),
        pass: vec![name("PASSED"), name("GIVEN"), name("ABSENT")],
        inherit,
        source: source.map(|name| (name, "ours")).collect(),
    }
}

fn names(environment: &Environment) -> Vec<&str> {
    environment.iter().map(|(name, _)| name.to_str().unwrap()).collect()
}

/// Shows: C24.
#[test]
fn core_is_the_short_list_and_what_the_entry_names() {
    let environment = description(InheritEnv::Core).environment();
    let mut expected = Vec::from(BASELINE_VARIABLES);
    expected.extend(["GIVEN", "PASSED"]);
    expected.sort_unstable();
    assert_eq!(names(&environment), expected);
    assert_eq!(environment.get("GIVEN").unwrap(), "entry");
    assert_eq!(environment.get("TERM").unwrap(), "dumb");
    assert_eq!(environment.get("PASSED").unwrap(), "ours");
}

/// Shows: C24.
#[test]
fn an_entry_may_ask_for_everything_or_for_nothing() {
    let all = description(InheritEnv::All).environment();
    assert_eq!(names(&all).len(), BASELINE_VARIABLES.len() + 3);
    assert_eq!(all.get("SECRET").unwrap(), "ours");
    assert_eq!(all.get("GIVEN").unwrap(), "entry");
    let none = description(InheritEnv::None).environment();
    assert_eq!(names(&none), ["GIVEN", "PASSED", "TERM"]);
}

#[test]
fn no_value_is_ever_shown() {
    let shown = format!("{:?}", description(InheritEnv::All));
    assert!(shown.contains("SECRET"));
    for value in ["ours", "entry", "dumb"] {
        assert!(!shown.contains(value), "{shown}");
    }
}

#[test]
fn what_every_network_program_needs_is_given_and_what_is_not_can_be_named() {
    let with_network = |inherit| {
        let mut description = description(inherit);
        description.source = NETWORK_VARIABLES.map(|name| (name, "ours")).into_iter().collect();
        description
    };
    let core = with_network(InheritEnv::Core);
    let given = core.environment();
    assert!(NETWORK_VARIABLES.iter().all(|name| given.get(name).is_some_and(|own| own == "ours")));
    assert_eq!(core.withheld_for_network(), [""; 0]);
    let mut none = with_network(InheritEnv::None);
    none.pass = vec![EnvName::parse("HTTPS_PROXY").unwrap()];
    let withheld = none.withheld_for_network();
    assert_eq!(withheld.len(), NETWORK_VARIABLES.len() - 1);
    assert!(!withheld.contains(&"HTTPS_PROXY"), "{withheld:?}");
}
