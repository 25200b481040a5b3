//! Globs, and sets of them beside the plain way of going through all.

use std::sync::Arc;

use proptest::prelude::*;
use toolgate_types::{Pattern, ServerId};

use super::*;
use crate::case::MatterOwner;
use crate::list::{ListEffect, ListOwner, ListRule, NameList};

fn set(texts: &[impl AsRef<str>], reading: PrefixReading<'_>) -> PatternSet {
    let list = NameList { whose: ListOwner::Policy, effect: ListEffect::Deny, origin: None };
    let list = Arc::new(list);
    let rule =
        |text: &str| ListRule { list: Arc::clone(&list), pattern: Pattern::parse(text).unwrap() };
    let rules = texts.iter().map(|text| rule(text.as_ref())).collect();
    PatternSet::new(rules, reading, PatternSpelling::AsWritten)
}

#[test]
fn globs_match_as_people_expect() {
    let cases = [
        ("*", "", true),
        ("read_*", "read_file", true),
        ("read_*", "unread_file", false),
        ("*delete*", "bulk_delete_all", true),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("*a*b", "xaxxab", true),
        ("*a*b", "xaxxac", false),
        ("exact", "exact", true),
        ("exact", "exactly", false),
        ("", "x", false),
        ("?", "é", true),
        ("??", "é", false),
        ("*?ü", "xéü", true),
    ];
    for (glob, text, expected) in cases {
        assert_eq!(glob_matches(glob, text), expected, "{glob} {text}");
    }
}

#[test]
fn a_pattern_of_stars_takes_no_long_time() {
    let stars = "*a".repeat(40);
    assert!(!glob_matches(&stars, &"b".repeat(10_000)));
}

#[test]
fn the_rule_that_means_a_name_is_found_among_many() {
    let mut texts: Vec<String> = (0..500).map(|n| format!("tool_{n}")).collect();
    texts.extend((0..500).map(|n| format!("prefix_{n}_*")));
    let many = set(&texts, PrefixReading::Server);
    let found =
        |name: &str| many.find(MatterOwner::Local, name).map(|rule| rule.pattern.to_string());
    assert_eq!(found("tool_77").as_deref(), Some("tool_77"));
    assert_eq!(found("prefix_12_x").as_deref(), Some("prefix_12_*"));
    assert_eq!(found("prefix_12"), None);
    assert_eq!(found("tool_500"), None);
}

#[test]
fn a_longer_beginning_that_does_not_match_hides_no_shorter_one() {
    let nested = set(&["a*", "ab?", "abc?x*", "abd*"], PrefixReading::Server);
    let found =
        |name: &str| nested.find(MatterOwner::Local, name).map(|rule| rule.pattern.to_string());
    assert_eq!(found("abcdy").as_deref(), Some("a*"));
    assert_eq!(found("abcdx").as_deref(), Some("abc?x*"));
    assert_eq!(found("abz").as_deref(), Some("ab?"));
    assert_eq!(found("a").as_deref(), Some("a*"), "a star may stand for nothing");
    assert_eq!(found("b"), None);
}

#[test]
fn a_prefix_binds_a_pattern_to_a_server_where_it_is_read_so() {
    let (git, other) = (ServerId::parse("git").unwrap(), ServerId::parse("other").unwrap());
    let (git, other) = (MatterOwner::Server(&git), MatterOwner::Server(&other));
    let finds = |reading, owner, name: &str| set(&["git:a*"], reading).find(owner, name).is_some();
    let (known, unknown) = (|id: &str| id == "git", |_: &str| false);
    for reading in
        [PrefixReading::Server, PrefixReading::Either, PrefixReading::KnownServer(&known)]
    {
        assert!(finds(reading, git, "abc"));
        assert!(!finds(reading, other, "abc"));
    }
    assert!(!finds(PrefixReading::Server, other, "git:abc"));
    assert!(!finds(PrefixReading::KnownServer(&known), other, "git:abc"));
    assert!(finds(PrefixReading::KnownServer(&unknown), other, "git:abc"));
    assert!(finds(PrefixReading::Either, other, "git:abc"));
    let odd = set(&["a b:c"], PrefixReading::Server);
    assert!(odd.find(other, "a b:c").is_some(), "no server has such an id");
}

/// The meaning of a glob, as short as it can be said.
fn means(glob: &[char], text: &[char]) -> bool {
    match glob.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|taken| means(rest, &text[taken..])),
        Some(('?', rest)) => !text.is_empty() && means(rest, &text[1..]),
        Some((c, rest)) => text.first() == Some(c) && means(rest, &text[1..]),
    }
}

proptest! {
    #[test]
    fn a_glob_means_what_its_definition_says(glob in "[abé*?]{0,8}", text in "[abé]{0,10}") {
        let (chars, name): (Vec<_>, Vec<_>) = (glob.chars().collect(), text.chars().collect());
        prop_assert_eq!(glob_matches(&glob, &text), means(&chars, &name));
    }

    #[test]
    fn a_set_finds_what_going_through_all_would_find(
        // Many that begin alike, so that one name meets several.
        globs in prop::collection::vec("[ab]{1,3}|[ab]{0,3}[*?][ab]{0,2}", 0..12),
        name in "[ab]{0,6}",
    ) {
        let found = set(&globs, PrefixReading::Server).find(MatterOwner::Local, &name).is_some();
        prop_assert_eq!(found, globs.iter().any(|glob| glob_matches(glob, &name)));
    }

    #[test]
    fn globs_that_begin_with_a_wildcard_name_the_first_rule_that_going_through_all_would_name(
        // Literals inside each other, shared ones, several in one glob, none at all.
        globs in prop::collection::vec("[*?][abé]{0,3}([*?]{1,2}[abé]{0,3}){0,2}", 0..12),
        name in "[abé]{0,8}",
    ) {
        let globs: Vec<_> =
            globs.into_iter().filter(|glob| glob.contains(|c| c != '*')).collect();
        let many = set(&globs, PrefixReading::Server);
        let found = many.find(MatterOwner::Local, &name).map(|rule| rule.pattern.to_string());
        let expected = globs.iter().find(|glob| {
            means(&glob.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        });
        prop_assert_eq!(found.as_ref(), expected);
    }
}
