//! One spelling for every host, and no list that allows more than it says.

use super::*;

fn named(text: &str) -> NamedHost {
    NamedHost::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn request(text: &str) -> RequestedHost {
    RequestedHost::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_host_has_one_spelling_and_a_port() {
    for (written, meant) in [
        ("api.github.com", "api.github.com:443"),
        ("API.GitHub.com.:8443", "api.github.com:8443"),
        ("münchen.example", "xn--mnchen-3ya.example:443"),
        ("XN--MNCHEN-3YA.example", "xn--mnchen-3ya.example:443"),
        ("*.Example.com", "*.example.com:443"),
        ("*.example.co.uk:80", "*.example.co.uk:80"),
        ("10.0.0.5:5432", "10.0.0.5:5432"),
        ("[2001:DB8::1]", "[2001:db8::1]:443"),
        ("[::ffff:10.0.0.5]:1", "10.0.0.5:1"),
        ("_sip.example.com", "_sip.example.com:443"),
    ] {
        assert_eq!(named(written).to_string(), meant);
        assert_eq!(named(meant), named(written), "what is shown can be written");
    }
}

#[test]
fn what_is_no_host_is_an_error_that_says_why() {
    use BadNamedHost as Bad;
    for (written, why) in [
        ("", Bad::Shape),
        ("https://example.com", Bad::Shape),
        ("example.com/path", Bad::Shape),
        ("user@example.com", Bad::Shape),
        ("*", Bad::Everything),
        ("*:443", Bad::Everything),
        ("a*.example.com", Bad::Star),
        ("*.*.example.com", Bad::Star),
        ("example.*", Bad::Star),
        ("*.10.0.0.1", Bad::Star),
        ("example.com:0", Bad::Port),
        ("example.com:65536", Bad::Port),
        ("example.com:", Bad::Port),
        ("example.com:*", Bad::Port),
        ("example.com:+1", Bad::Port),
        ("::1", Bad::Brackets),
        ("[::1", Bad::Brackets),
        ("[::1]x", Bad::Shape),
        ("[fe80::1%eth0]:1", Bad::Shape),
        ("0x7f000001", Bad::Name(BadHostName::Number)),
        ("2130706433", Bad::Name(BadHostName::Number)),
        ("127.1", Bad::Name(BadHostName::Number)),
        ("0177.0.0.1", Bad::Name(BadHostName::Number)),
        ("ex%61mple.com", Bad::Name(BadHostName::NotAName)),
        ("a..example.com", Bad::Name(BadHostName::NotAName)),
        ("example.com..", Bad::Name(BadHostName::NotAName)),
        ("-a.example.com", Bad::Name(BadHostName::NotAName)),
        ("a b.example.com", Bad::Name(BadHostName::NotAName)),
        ("a\0.example.com", Bad::Name(BadHostName::NotAName)),
    ] {
        assert_eq!(NamedHost::parse(written), Err(why), "{written}");
    }
    let long = format!("{}.example.com", "a".repeat(64));
    assert!(NamedHost::parse(&long).is_err());
    assert!(NamedHost::parse(&"a.".repeat(130)).is_err());
}

#[test]
fn what_belongs_to_many_cannot_be_allowed_as_one() {
    for everybodys in [
        "*.com",
        "*.uk",
        "*.co.uk",
        "*.com.au",
        "*.github.io",
        "*.s3.amazonaws.com",
        "*.s3.eu-west-1.amazonaws.com",
        "*.nip.io",
        "github.io",
        "co.uk",
    ] {
        let refused = NamedHost::parse(everybodys);
        assert!(matches!(refused, Err(BadNamedHost::PublicSuffix(_))), "{everybodys}: {refused:?}");
    }
    for one in ["com", "localhost", "gitlab"] {
        assert!(matches!(NamedHost::parse(one), Err(BadNamedHost::OneLabel(_))), "{one}");
    }
    for own in ["*.example.co.uk", "*.mine.github.io", "bucket.s3.amazonaws.com", "*.t.co"] {
        assert_eq!(named(own).port(), 443);
    }
}

#[test]
fn a_star_is_one_label_or_more_and_never_the_name_itself() {
    let below = named("*.example.com");
    for inside in ["a.example.com", "a.b.example.com", "A.EXAMPLE.COM."] {
        assert!(below.matches(&request(inside), 443), "{inside}");
        assert!(!below.matches(&request(inside), 80), "{inside}");
    }
    for outside in ["example.com", "badexample.com", "example.com.evil.test", "com", "example.org"]
    {
        assert!(!below.matches(&request(outside), 443), "{outside}");
    }
    let one = named("api.example.com");
    assert!(one.matches(&request("api.EXAMPLE.com."), 443));
    assert!(!one.matches(&request("x.api.example.com"), 443));
}

#[test]
fn an_address_is_allowed_only_where_it_is_listed() {
    let access = NetworkAccess::Named(vec![named("10.0.0.5:5432"), named("*.example.com")]);
    assert!(access.allows(&request("10.0.0.5"), 5432));
    assert!(access.allows(&request("::ffff:10.0.0.5"), 5432), "it is the same address");
    assert!(!access.allows(&request("10.0.0.5"), 443));
    assert!(!access.allows(&request("10.0.0.6"), 5432));
    assert!(!access.allows(&request("93.184.216.34"), 443));
    assert!(access.allows(&request("a.example.com"), 443));
    assert!(RequestedHost::parse("0xa.0.0.5").is_err());
}

#[test]
fn nothing_named_is_nothing_allowed() {
    let (host, nothing) = (request("a.example.com"), NetworkAccess::Named(Vec::new()));
    assert!(!nothing.allows(&host, 443) && !NetworkAccess::Off.allows(&host, 443));
    assert!(NetworkAccess::Everything.allows(&host, 443));
    let RequestedHost::Name(name) = host else { panic!() };
    assert!(!nothing.knows(&name) && !NetworkAccess::default().knows(&name));
    assert!(NetworkAccess::Named(vec![named("a.example.com:1")]).knows(&name));
}

#[test]
fn an_access_says_what_it_opens() {
    let access = NetworkAccess::Named(vec![
        named("api.github.com"),
        named("*.example.com:8443"),
        named("10.0.0.5:5432"),
        named("[fd00::1]"),
    ]);
    let shown = "api.github.com:443, *.example.com:8443, 10.0.0.5:5432, [fd00::1]:443";
    assert_eq!(access.to_string(), shown);
    assert_eq!(access.ports(), [443, 5432, 8443].into());
    let addresses = ["10.0.0.5", "fd00::1"].map(|text| text.parse().unwrap());
    assert_eq!(access.addresses(), addresses.into());
    assert_eq!(NetworkAccess::Named(Vec::new()).to_string(), NetworkAccess::Off.to_string());
    assert!(NetworkAccess::Everything.ports().is_empty());
}
