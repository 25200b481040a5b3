//! Whose a URI is, for servers that offer what others offer.

use proptest::prelude::*;
use toolgate_types::split_uri_of_server;

use super::*;

fn id(name: &str) -> ServerId {
    ServerId::parse(name).unwrap()
}

/// What one server offers: URIs, templates, pages.
type Offered<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str]);

fn claims(all: &[Offered<'_>]) -> UriClaims {
    let mut claims = UriClaims::default();
    for (server, uris, templates, pages) in all {
        let owned =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        claims.add(&id(server), &owned(uris), &owned(templates), &owned(pages));
    }
    claims
}

fn owner(claims: &UriClaims, uri: &str) -> Option<String> {
    match claims.claimed(uri) {
        ClaimedUri::By(server) => Some(server.to_string()),
        ClaimedUri::BySeveral(_) | ClaimedUri::ByNobody => None,
    }
}

#[test]
fn what_one_server_offers_passes_as_it_is() {
    let claims = claims(&[
        ("a", &["file:///a/1", "a:1"], &["repo://{owner}/issues"], &["ui://a/page"]),
        ("b", &["file:///b/1"], &["repo://{owner}/pulls", "b://{x}"], &[]),
    ]);
    for (server, uri) in [
        ("a", "file:///a/1"),
        ("a", "FILE:///a/%31"),
        ("a", "repo://x/issues"),
        ("a", "ui://a/page"),
        ("b", "repo://x/pulls"),
        ("b", "b://anything/at/all"),
    ] {
        assert_eq!(owner(&claims, uri).as_deref(), Some(server), "{uri}");
        assert_eq!(claims.public_uri(&id(server), uri), uri);
    }
    assert_eq!(claims.public_template(&id("b"), "b://{x}"), "b://{x}");
    assert_eq!(claims.public_template(&id("a"), "repo://{owner}/issues"), "repo://{owner}/issues");
    assert_eq!(claims.claimed("nobody:1"), ClaimedUri::ByNobody);
}

#[test]
fn what_two_servers_offer_is_each_ones_own_by_its_address_only() {
    for (b_lists, b_templates, b_pages) in [
        (&["ui://app/page"][..], &[][..], &[][..]),
        (&["UI://App//page"], &[], &[]),
        (&["ui://app/%70age"], &[], &[]),
        (&[], &["ui://app/{x}"], &[]),
        (&[], &["ui://{+anything}"], &[]),
        (&[], &["ui://app/pa{x}e"], &[]),
        (&[], &[], &["ui://app/page"]),
    ] {
        let claims =
            claims(&[("a", &["ui://app/page"], &[], &[]), ("b", b_lists, b_templates, b_pages)]);
        assert!(matches!(claims.claimed("ui://app/page"), ClaimedUri::BySeveral(_)));
        for server in ["a", "b"] {
            let address = format!("ui://toolgate/of/{server}/ui://app/page");
            assert_eq!(claims.public_uri(&id(server), "ui://app/page"), address);
        }
    }
}

#[test]
fn templates_that_may_stand_for_the_same_are_told_apart_by_their_server() {
    let claims = claims(&[
        ("a", &["x://list/1"], &["file:///{path}", "{+any}"], &[]),
        ("b", &[], &["file:///notes/{x}", "x://{y}", "toolgate://of/a/{z}"], &[]),
    ]);
    assert_eq!(
        claims.public_template(&id("a"), "file:///{path}"),
        "toolgate://of/a/file:///{path}"
    );
    assert_eq!(claims.public_template(&id("a"), "{+any}"), "toolgate://of/a/{+any}");
    let notes = "toolgate://of/b/file:///notes/{x}";
    assert_eq!(claims.public_template(&id("b"), "file:///notes/{x}"), notes);
    assert_eq!(claims.public_template(&id("b"), "x://{y}"), "toolgate://of/b/x://{y}");
    let wrapped = "toolgate://of/b/toolgate://of/a/{z}";
    assert_eq!(claims.public_template(&id("b"), "toolgate://of/a/{z}"), wrapped);
    assert_eq!(owner(&claims, "file:///other").as_deref(), Some("a"));
    assert_eq!(owner(&claims, "file:///notes/1"), None);
    assert_eq!(owner(&claims, "x://else").as_deref(), Some("b"));
}

#[test]
fn no_servers_uri_is_one_of_the_gates_own() {
    let claims =
        claims(&[("evil", &["toolgate://of/a/x:1", "ui://toolgate/of/a/ui://x"], &[], &[])]);
    for uri in ["toolgate://of/a/x:1", "ui://toolgate/of/a/ui://x", "toolgate://artifact/1"] {
        assert_eq!(claims.claimed(uri), ClaimedUri::ByNobody, "{uri}");
        assert_ne!(claims.public_uri(&id("evil"), uri), uri);
    }
}

#[test]
fn what_nobody_lists_is_the_only_ones_that_has_any() {
    let only = claims(&[("a", &["a:1"], &[], &[]), ("b", &[], &[], &[])]);
    assert_eq!(owner(&only, "a:2").as_deref(), Some("a"));
    let mut one_is_down = claims(&[("a", &["a:1"], &[], &[])]);
    one_is_down.unknown.insert(id("b"));
    assert_eq!(owner(&one_is_down, "a:2"), None, "it may be the other's");
    assert_eq!(owner(&one_is_down, "a:1").as_deref(), Some("a"));
    let mut only_one_is_unknown = UriClaims::default();
    only_one_is_unknown.unknown.insert(id("b"));
    assert_eq!(owner(&only_one_is_unknown, "b:1"), None);
}

#[test]
fn pages_are_found_where_clients_look_for_them() {
    for (meta, page) in [
        (r#"{"ui":{"resourceUri":"ui://a"}}"#, Some("ui://a")),
        (r#"{"ui/resourceUri":"ui://a"}"#, Some("ui://a")),
        (r#"{"openai/outputTemplate":"ui://a"}"#, Some("ui://a")),
        (r#"{"ui":{"resourceUri":7}}"#, None),
        (r#"{"ui":"ui://a"}"#, None),
        ("[]", None),
    ] {
        for key in ["_meta", r"\u005fmeta"] {
            let raw = format!(r#"{{"name":"t","{key}":{meta}}}"#);
            let raw = serde_json::value::RawValue::from_string(raw).unwrap();
            let found = pages::of(&toolgate_types::Definition::new("t".to_owned(), raw));
            assert_eq!(found.first().map(String::as_str), page, "{meta}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is listed leads back to its server, and to no other.
    #[test]
    fn a_public_uri_leads_to_its_server(
        all in prop::collection::vec(("[abc]", "(x|X|ui|toolgate)://(of|toolgate|[ab]{1,2})(/{1,2}[ab%61.]{1,3}){0,2}"), 1..8),
        templates in prop::collection::vec(("[abc]", "(x|ui)://[ab]{0,2}\\{x\\}[ab]{0,1}"), 0..4),
    ) {
        let mut claims = UriClaims::default();
        for (server, uri) in &all {
            claims.add(&id(server), std::slice::from_ref(uri), &[], &[]);
        }
        for (server, template) in &templates {
            claims.add(&id(server), &[], std::slice::from_ref(template), &[]);
        }
        for (server, uri) in &all {
            let public = claims.public_uri(&id(server), uri);
            match split_uri_of_server(&public) {
                Some((owner, own)) => prop_assert_eq!((owner, own), (id(server), uri.as_str())),
                None => {
                    prop_assert_eq!(&*public, uri);
                    prop_assert_eq!(claims.claimed(&public), ClaimedUri::By(id(server)));
                    let key = uri_key(uri);
                    prop_assert!(all.iter().all(|(other, one)| other == server || uri_key(one) != key));
                }
            }
        }
        // A template that passes as it is stands for nothing that is another's.
        for (server, template) in &templates {
            let public = claims.public_template(&id(server), template);
            for filled in ["", "a", "ab", "b/a"] {
                let uri = public.replace("{x}", filled);
                match split_uri_of_server(&uri) {
                    Some((owner, _)) => prop_assert_eq!(owner, id(server)),
                    None => prop_assert_eq!(claims.claimed(&uri), ClaimedUri::By(id(server)), "{}", uri),
                }
            }
        }
    }
}
