//! Spellings of one URI, each worked out by hand; the guard's tests try them at random.

use super::*;
use crate::ServerId;

fn is_denied(uri: &str, pattern: &str) -> bool {
    let patterns = deny_pattern_spellings(pattern);
    denied_spellings(uri).iter().any(|spelling| patterns.contains(spelling))
}

#[test]
fn a_denied_uri_is_found_in_every_spelling() {
    for uri in [
        "file:///etc/secret",
        "FILE:///etc/secret",
        "file://localhost/etc/secret",
        "file://LOCALHOST./etc/secret",
        "file:/etc/secret",
        "file:////etc//secret",
        "file:///etc/secret/",
        "file:///etc/secret/.",
        "file:///etc/x/../secret",
        "file:///etc/./secret",
        "file:\\\\\\etc\\secret",
        "file:///etc%2fsecret",
        "file:///etc%5Csecret",
        "file:///etc/%73ecret",
        "file:///etc/%2573ecret",
        "file:///etc/%25252525252573ecret",
        "file:///etc/%2E%2e/etc/secret",
        "file:///etc/%252e%252e/etc/secret",
        "file:///etc%c0%afsecret",
        "file:///etc/secret#x",
        "file:///etc/secret?x",
        "file:///etc/secret%23x",
        "file:///etc/secret%00.md",
        "file:///etc/secret.",
        "file:///etc/secret%20",
        "fi\tle:///etc/sec\nret",
        " file:///etc/secret ",
        "/etc/secret",
        "//etc/secret",
        "file:///ETC/Secret",
        "toolgate://of/inner/file:///etc/secret",
        "toolgate://of/a/toolgate://of/b/file:///etc/%73ecret",
        "ui://toolgate/of/a/file:///etc/secret",
    ] {
        assert!(is_denied(uri, "file:///etc/secret"), "{uri}");
    }
    for uri in ["file:///etc/secrets", "file:///etc/other", "http:///etc/secret", "file:///"] {
        assert!(!is_denied(uri, "file:///etc/secret"), "{uri}");
    }
}

#[test]
fn a_denied_host_is_found_in_every_spelling() {
    for uri in [
        "http://host.example/x",
        "HTTP://HOST.example/x",
        "http://host.example:80/x",
        "http://host.example:/x",
        "http://host.example:0080/x",
        "http://host.example./x",
        "http://me@host.example/x",
        "http://me:secret@host.example/x",
        "http:host.example/x",
        "http:////host.example/x",
        "http:\\\\host.example\\x",
        "http://host%2eexample/x",
        "http://ｈost.example/x",
        "http://host.example/x?",
        "http://host.example/x?more=1",
    ] {
        assert!(is_denied(uri, "http://host.example/x"), "{uri}");
    }
    assert!(is_denied("http://0x7f.1/x", "http://127.0.0.1/x"));
    assert!(!is_denied("http://host.example:8080/x", "http://host.example/x"));
    assert!(!is_denied("http://host.example@other/x", "http://host.example/x"));
}

#[test]
fn a_deny_may_itself_be_written_in_an_odd_way() {
    for pattern in [
        "FILE://localhost/etc//secret",
        "file:///etc/%73ecret",
        "file:///etc/./secret",
        "file:\\\\\\etc\\secret",
    ] {
        assert!(is_denied("file:///etc/secret", pattern), "{pattern}");
    }
    assert!(is_denied("http://host/x", "http://HOST:80/x"));
    let everything = deny_pattern_spellings("*/");
    assert!(!everything.contains(&"*".to_owned()), "a slash less would mean everything");
    assert!(!deny_pattern_spellings("x://*.").contains(&"x://*".to_owned()));
    assert!(!deny_pattern_spellings("x://a?c").contains(&"x://a".to_owned()));
}

#[test]
fn what_is_allowed_is_looked_at_as_it_would_be_read() {
    let has = |uri: &str, spelling: &str| allowed_spellings(uri).contains(&spelling.to_owned());
    assert!(has("file:///pub/%252e%252e/key", "file:///key"));
    assert!(has("http://good@evil/x", "http://evil/x"));
    assert!(has("x://a#b.md", "x://a"));
    assert!(has("file:///a?b.md", "file:///a"));
    assert!(has("x://a%00.md", "x://a"));
    assert_eq!(allowed_spellings("file:///a/b.md"), ["file:///a/b.md"]);
    assert!(!has("file:///pub/a%23b.md", "file:///pub/a"), "it is a part of the name");
}

#[test]
fn spellings_of_one_uri_have_one_key_and_others_have_others() {
    let same = [
        "ui://App/Page",
        "UI://app/page/",
        "ui://app//page",
        "ui://app/%70age",
        "ui://app/x/../page",
    ];
    for uri in same {
        assert_eq!(uri_key(uri), uri_key("ui://app/page"), "{uri}");
    }
    for uri in ["ui://app/page2", "ui://app", "ux://app/page", "ui://app/page?x=1"] {
        assert_ne!(uri_key(uri), uri_key("ui://app/page"), "{uri}");
    }
}

#[test]
fn the_address_of_a_servers_uri_leads_back() {
    let github = ServerId::parse("github").unwrap();
    for (uri, address) in [
        ("file:///a/{b}", "toolgate://of/github/file:///a/{b}"),
        ("ui://app/page", "ui://toolgate/of/github/ui://app/page"),
        ("UI://app", "ui://toolgate/of/github/UI://app"),
        ("toolgate://of/a/x:1", "toolgate://of/github/toolgate://of/a/x:1"),
        ("", "toolgate://of/github/"),
    ] {
        assert_eq!(uri_of_server(&github, uri), address);
        assert_eq!(split_uri_of_server(address), Some((github.clone(), uri)));
        assert!(is_gate_uri(address));
    }
    for odd in ["toolgate://of/", "toolgate://of/a", "toolgate://of/a b/x", "Toolgate://of/a/x"] {
        assert_eq!(split_uri_of_server(odd), None, "{odd}");
    }
    for own in ["toolgate://artifact/x", "TOOLGATE:x", "ui://Toolgate/x"] {
        assert!(is_gate_uri(own), "{own}");
    }
    assert!(!is_gate_uri("ui://toolgates/x") && !is_gate_uri("file:///toolgate"));
}

/// Encoded half a million times over, or wrapped as often: one pass each.
#[test]
fn deep_nesting_takes_no_long_time() {
    let deep = format!("x://%{}41", "25".repeat(200_000));
    assert_eq!(decode_fully(&deep), "x://A");
    let wrapped = format!("{}x:1", "toolgate://of/a/".repeat(10_000));
    assert!(is_denied(&wrapped, "x:1"));
    assert!(denied_spellings(&"%c0%af".repeat(50_000)).len() < 50);
}
