//! What may follow a name.

use super::super::references::is_name;
use super::*;

#[test]
fn steps_are_read_one_after_another_and_nothing_else_is() {
    use RevisionStep::{Back, Parent};
    assert_eq!(parse_steps(""), Some(vec![]));
    assert_eq!(parse_steps("~"), Some(vec![Back(1)]));
    assert_eq!(parse_steps("~3^2^{commit}~1"), Some(vec![Back(3), Parent(2), Back(1)]));
    assert_eq!(parse_steps("^^"), Some(vec![Parent(1), Parent(1)]));
    for odd in ["~x", "^{tree}", "^{/word}", "~99999999999999999999999", "~200000", "^{", "~1:a"] {
        assert_eq!(parse_steps(odd), None, "{odd}");
    }
}

#[test]
fn only_names_of_references_are_looked_up() {
    for name in ["HEAD", "FETCH_HEAD", "refs/heads/main", "refs/remotes/origin/a.b"] {
        assert!(is_name(name), "{name}");
    }
    for odd in [
        "config",
        "index",
        "logs/HEAD",
        "refs/../config",
        "refs/heads/../../config",
        "refs//x",
        "refs/heads/.x",
        "refs/heads/x.lock",
        "refs/heads/a b",
        "refs/x@{1}",
        "/HEAD",
        "../HEAD",
        "refs/heads/x/",
        "refs/heads/\0",
    ] {
        assert!(!is_name(odd), "{odd}");
    }
}
