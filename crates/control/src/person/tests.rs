//! Whose variables count, with and without a parent that can be seen.

use super::*;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn parent(environ: Option<Variables>) -> ParentProcess {
    ParentProcess { environ }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn only_the_parents_variables_count_where_they_can_be_seen() {
    let theirs = variables(&[("HOME", "/home/ann"), ("TOKEN", "hers"), ("PATH", "/bin")]);
    let own = variables(&[("HOME", "/evil"), ("TOKEN", "evil"), ("ONLY_HERE", "evil")]);
    let person = Person::behind(Some(&parent(Some(theirs.clone()))), &own);
    assert_eq!(person.variables(), &theirs);
    let wanted = names(&["TOKEN", "ONLY_HERE", "HOME"]);
    let expected = variables(&[("TOKEN", "hers"), ("HOME", "/home/ann")]);
    assert_eq!(person.values_of(&wanted), expected);
}

#[test]
fn without_them_the_system_says_who_it_is_and_our_own_only_what_is_named() {
    let own = variables(&[
        ("HOME", "/evil"),
        ("PATH", "/evil"),
        ("XDG_STATE_HOME", "/evil"),
        ("TOOLGATE_GLOBAL_CONFIG", "/evil"),
        ("TOKEN", "given"),
    ]);
    for parent in [None, Some(parent(None))] {
        let person = Person::behind(parent.as_ref(), &own);
        let home = home().unwrap();
        assert_eq!(person.variables().get("HOME"), Some(&home));
        assert_eq!(person.variables().get("PATH").unwrap(), USUAL_PATH);
        let values = person.variables().values();
        assert_eq!(values.filter(|value| *value == "/evil").count(), 0);
        let all = ["TOKEN", "HOME", "PATH", "XDG_STATE_HOME", "TOOLGATE_GLOBAL_CONFIG"];
        let expected = variables(&[("TOKEN", "given"), ("HOME", &home), ("PATH", USUAL_PATH)]);
        assert_eq!(person.values_of(&names(&all)), expected);
    }
}

#[test]
fn a_daemon_is_started_with_what_says_where_things_are_and_nothing_else() {
    let theirs = variables(&[
        ("HOME", "/home/ann"),
        ("PATH", "/bin"),
        ("XDG_RUNTIME_DIR", "/run/user/7"),
        ("TOOLGATE_GLOBAL_CONFIG", "/home/ann/own.toml"),
        ("TOOLGATE_CONFIG", "/project/x.toml"),
        ("TOOLGATE_CONFIG_JSON", "{}"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("LD_PRELOAD", "/evil.so"),
    ]);
    let person = Person::behind(Some(&parent(Some(theirs))), &Variables::new());
    let environment = person.clean_environment();
    let kept: Vec<_> = environment.keys().map(String::as_str).collect();
    assert_eq!(kept, ["HOME", "PATH", "TOOLGATE_GLOBAL_CONFIG", "XDG_RUNTIME_DIR"]);
}

/// A clone's own entry may write what it likes into its shim's environment.
#[test]
fn where_traffic_goes_is_never_a_shims_word() {
    let shims: Variables = NETWORK_VARIABLES
        .map(|name| (name.to_owned(), "http://evil.example".to_owned()))
        .into_iter()
        .collect();
    let person = Person::behind(None, &shims);
    for name in NETWORK_VARIABLES {
        assert_eq!(person.value_of(name), None, "{name}");
    }
    let person = Person::oneself(&shims);
    assert_eq!(person.clean_environment(), shims, "a person's own reach the daemon");
}
