//! What a rule is about, and by which spellings nobody gets around it.

use toolgate_types::{Pattern, ServerId};

use super::*;

fn rule(tool: &str, when: &[(&str, &str)], then: RuleEffect) -> CallRule {
    let when = when.iter().map(|(name, glob)| ((*name).to_owned(), (*glob).to_owned()));
    CallRule { tool: Pattern::parse(tool).unwrap(), when: when.collect(), definition: None, then }
}

/// What counts for a call of `fetch`/`get` with these arguments.
fn counts(rules: &[CallRule], arguments: &str) -> Option<RuleEffect> {
    let policy = Policy { rules: rules.to_vec(), ..Policy::default() };
    let rules = CallRules::of(&[ConfiguredValue::nowhere(&policy)], None);
    let server = ServerId::parse("fetch").unwrap();
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    let call = RuledCall { arguments: Some(&arguments), defined: None };
    let found = rules.find(MatterOwner::Server(&server), "get", &call);
    found.map(|written| written.rule.then)
}

const LOCAL: (&str, &str) = ("url", "http://localhost:*");

fn allows(arguments: &str) -> bool {
    counts(&[rule("fetch:*", &[LOCAL], RuleEffect::Allow)], arguments).is_some()
}

fn denies(arguments: &str) -> bool {
    counts(&[rule("fetch:*", &[LOCAL], RuleEffect::Deny)], arguments).is_some()
}

#[test]
fn what_is_meant_is_allowed_and_denied() {
    for url in ["http://localhost:3000", "http://localhost:80/", "http://localhost/a?b=c#d"] {
        let arguments = format!(r#"{{"url":"{url}","other":1}}"#);
        assert!(allows(&arguments) && denies(&arguments), "{url}");
    }
    for url in ["https://localhost:1/", "http://example.com/", "http://localhostess:1/"] {
        let arguments = format!(r#"{{"url":"{url}"}}"#);
        assert!(!allows(&arguments) && !denies(&arguments), "{url}");
    }
    assert!(!allows("{}") && !denies("{}"), "what is not there");
}

#[test]
fn no_spelling_gets_something_else_past_an_allow() {
    for arguments in [
        r#"{"url":"http://localhost:1@evil.example/"}"#,
        r#"{"url":"http://localhost:pass@evil.example/"}"#,
        r#"{"url":"http://localhost:1\\@evil.example/"}"#,
        r#"{"url":"http://localhost:1/","url":"http://evil.example/"}"#,
        r#"{"url":"http://localhost:1/","\u0075rl":"http://evil.example/"}"#,
        r#"{"url":"http://localhost:1/","URL":"http://evil.example/"}"#,
        r#"{"URL":"http://localhost:1/"}"#,
        r#"{"url":["http://localhost:1/"]}"#,
        r#"{"url":{"href":"http://localhost:1/"}}"#,
        r#"{"options":{"url":"http://localhost:1/"}}"#,
        r#"{"url":"http://localhost:1/\nhttp://evil.example/"}"#,
        r#"{"url":" http://localhost:1/"}"#,
        r#"{"url":"http://localhost:1 .evil.example/"}"#,
        r#"{"url":"http:\\\\localhost:1/"}"#,
        r#"{"url":"http:localhost:1/"}"#,
        r#"{"url":"http://localhost:99999/"}"#,
        r#"{"url":"http://localhost:*"}"#,
        r#"{"url":null}"#,
        r#"["http://localhost:1/"]"#,
        "7",
    ] {
        assert!(!allows(arguments), "{arguments}");
    }
}

#[test]
fn in_doubt_a_deny_holds() {
    for arguments in [
        r#"{"url":"HTTP://LocalHost:1/"}"#,
        r#"{"url":"http://localhost"}"#,
        r#"{"url":"http://me:secret@localhost:1/"}"#,
        r#"{"url":"http://local%68ost:1/"}"#,
        r#"{"url":"\thttp://localhost:1/"}"#,
        r#"{"url":"http:\\\\localhost:1/"}"#,
        r#"{"url":"http:/localhost:1/"}"#,
        r#"{"url":"http://localhost.:1/"}"#,
        r#"{"URL":"http://localhost:1/"}"#,
        r#"{"url":"http://fine.example/","url":"http://localhost:1/"}"#,
        r#"{"\u0075rl":"http://localhost:1/"}"#,
        r#"{"url":["http://fine.example/"]}"#,
        r#"{"options":[{"url":"http://localhost:1/"}]}"#,
        r#"["http://localhost:1/"]"#,
    ] {
        assert!(denies(arguments), "{arguments}");
        let asks = counts(&[rule("get", &[LOCAL], RuleEffect::Ask)], arguments);
        assert_eq!(asks, Some(RuleEffect::Ask), "{arguments}");
    }
}

#[test]
fn a_path_or_a_command_is_allowed_only_as_far_as_it_can_be_read() {
    let allowed = |glob: &str, text: &str| {
        let arguments = serde_json::to_string(text).unwrap();
        let rule = rule("fetch:get", &[("value", glob)], RuleEffect::Allow);
        counts(&[rule], &format!(r#"{{"value":{arguments}}}"#)).is_some()
    };
    assert!(allowed("/tmp/*", "/tmp/a/b.txt") && allowed("git log*", "git log -1 --stat"));
    assert!(allowed("a|b", "a|b"), "what the rule itself says");
    for path in ["/tmp/../etc/passwd", "/tmp/%2e%2e/etc/passwd", "/tmp/..\\x", "/tmp/a\0/../b"] {
        assert!(!allowed("/tmp/*", path), "{path}");
    }
    for more in ["; rm x", " && rm x", "\nrm x", " $(rm x)", " `rm x`", " > x", " | sh"] {
        assert!(!allowed("git log*", &format!("git log{more}")), "{more}");
    }
    let pages = "http://localhost:1/public/*";
    assert!(allowed(pages, "http://localhost:1/public/a"));
    for page in ["/public/../admin", "/public/%2e%2e/admin", "/public/%2e%2e%2fadmin", "/admin"] {
        assert!(!allowed(pages, &format!("http://localhost:1{page}")), "{page}");
    }
}

#[test]
fn a_deny_wins_over_what_asks_and_that_over_an_allow_in_any_order() {
    let url = ("url", "http://localhost:1/*");
    let mut rules = vec![
        rule("fetch:*", &[], RuleEffect::Allow),
        rule("fetch:*", &[("url", "*secret*")], RuleEffect::Ask),
        rule("*", &[url], RuleEffect::Deny),
    ];
    for _ in 0..3 {
        rules.rotate_left(1);
        let of = |arguments: &str| counts(&rules, arguments);
        assert_eq!(of("{}"), Some(RuleEffect::Allow));
        assert_eq!(of(r#"{"url":"https://x.example/secret"}"#), Some(RuleEffect::Ask));
        assert_eq!(of(r#"{"url":"http://localhost:1/secret"}"#), Some(RuleEffect::Deny));
    }
    assert_eq!(counts(&[rule("other:*", &[], RuleEffect::Deny)], "{}"), None);
    // A server that calls its tool so is not meant by an allow.
    assert_eq!(counts(&[rule("other:get", &[], RuleEffect::Allow)], "{}"), None);
}

#[test]
fn a_rule_for_a_definition_counts_for_that_one() {
    let text = r#"{"name":"read"}"#;
    let hash = Digest(Sha256::digest(text).into());
    let about = |then, defined: Option<&str>| {
        let rule = CallRule { definition: Some(hash), ..rule("read", &[], then) };
        rule.is_about(&RuledCall { arguments: None, defined })
    };
    for then in [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny] {
        assert!(about(then, Some(text)), "{then}");
        assert!(!about(then, Some(r#"{"name": "read"}"#)), "{then}: any other byte is another");
    }
    // In doubt.
    assert!(!about(RuleEffect::Allow, None));
    assert!(about(RuleEffect::Ask, None) && about(RuleEffect::Deny, None));
}

#[test]
fn an_administrators_rule_denies_and_asks_and_allows_nothing() {
    let policy = Policy { rules: vec![rule("*", &[], RuleEffect::Allow)], ..Policy::default() };
    let server = ServerId::parse("fetch").unwrap();
    let counting = |rules: Vec<CallRule>| {
        let administrator = Administrator { rules, ..Administrator::default() };
        let rules = CallRules::of(&[ConfiguredValue::nowhere(&policy)], Some(&administrator));
        let call = RuledCall { arguments: None, defined: None };
        let found = rules.find(MatterOwner::Server(&server), "get", &call).unwrap();
        (found.rule.then, found.whose == ListOwner::Administrator)
    };
    assert_eq!(counting(vec![rule("get", &[], RuleEffect::Deny)]), (RuleEffect::Deny, true));
    assert_eq!(counting(vec![rule("get", &[], RuleEffect::Ask)]), (RuleEffect::Ask, true));
    assert_eq!(counting(vec![rule("get", &[], RuleEffect::Allow)]), (RuleEffect::Allow, false));
}
