//! One filter of one server.

use super::*;

/// Shows: S4-15.
#[test]
fn in_the_allow_list_and_not_in_the_deny_list() {
    let pattern = |text: &str| Pattern::parse(text).unwrap();
    let github = ServerId::parse("github").unwrap();
    let other = ServerId::parse("other").unwrap();
    let all = NameFilter::default();
    assert!(admits(&all, &github, "anything"));
    let some = NameFilter {
        allow: Some(vec![pattern("get_*"), pattern("github:push_*")]),
        deny: vec![pattern("*_secret"), pattern("other:*")],
    };
    assert!(admits(&some, &github, "get_issue"));
    assert!(admits(&some, &github, "push_files"));
    assert!(!admits(&some, &github, "get_secret"), "a deny wins");
    assert!(!admits(&some, &github, "delete"), "not in the allow list");
    assert!(!admits(&some, &other, "push_files"), "bound to another server");
    assert!(!admits(&some, &other, "get_issue"), "denied for this server");
}
