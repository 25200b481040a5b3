//! A denied resource stays denied, however its URI is spelled; an allowed one is allowed in every
//! spelling that a server may make of it.

use proptest::prelude::*;
use toolgate_guard::{MatterKind, MatterOwner, ToolExposure, Visibility};
use toolgate_types::Trust::Trusted;
use toolgate_types::config::{NameFilter, Policy};

use crate::world::{World, allow, deny, id};

/// Whether a resource of the server `files`, whose entry has these lists, is shown.
fn is_shown(resources: NameFilter, uri: &str) -> bool {
    let world =
        World::default().server("files", Trusted, |known| known.entry.resources = resources);
    shows(&world.visibility().unwrap(), uri)
}

fn shows(visibility: &Visibility, uri: &str) -> bool {
    let files = id("files");
    visibility.exposes(MatterOwner::Server(&files), MatterKind::Resource, uri)
        == ToolExposure::Direct
}

#[test]
fn resource_spellings_a_deny_means_every_spelling() {
    for uri in [
        "file:///etc/secret",
        "FILE:///etc/secret",
        "file://localhost/etc/secret",
        "file:/etc/secret",
        "file:///etc//secret",
        "file:///etc/%73ecret",
        "file:///etc/%2573ecret",
        "file:///etc%2Fsecret",
        "file:///etc/secret#x",
        "file:///etc/secret%00",
        "file:///etc\\secret",
        "/etc/secret",
        "toolgate://of/inner/file:///etc/secret",
    ] {
        for pattern in ["file:///etc/secret", "file:///etc/*", "*secret", "files:file:///etc/*"] {
            assert!(!is_shown(deny(&[pattern]), uri), "{uri} by {pattern}");
        }
        let policy = Policy { resources: deny(&["file:///etc/secret"]), ..Policy::default() };
        let world = World::default().server("files", Trusted, |_| {});
        let visibility = World { policies: vec![policy], ..world }.visibility().unwrap();
        assert!(!shows(&visibility, uri), "{uri} by the policy");
    }
    assert!(is_shown(deny(&["file:///etc/*"]), "file:///home/a%20b.md"));
    assert!(is_shown(deny(&["file:///etc/*"]), "file:///home/etc/x"));
}

#[test]
fn resource_spellings_a_deny_may_be_written_in_any() {
    for pattern in
        ["file:///etc/%73ecret", "FILE:///etc/secret", "file://localhost/etc/*", "*%73ecret"]
    {
        assert!(!is_shown(deny(&[pattern]), "file:///etc/secret"), "{pattern}");
    }
    assert!(!is_shown(deny(&["*Host/secret"]), "http://HOST/secret"), "no host minds case");
}

#[test]
fn resource_spellings_an_allow_must_hold_for_all() {
    let public = || allow(&["file:///public/*", "http://good.example/*", "*.md"]);
    for uri in [
        "file:///public/%252e%252e/secret",
        "file:///public\\..\\secret",
        "http://good.example/x/%2e%2e%2f..%2f..//x/../..",
        "x://secret#.md",
        "file:///secret?.md",
        "file:///secret%00.md",
    ] {
        assert!(!is_shown(public(), uri), "{uri}");
    }
    assert!(!is_shown(allow(&["http://good.example*"]), "http://good.example@evil/x"));
    for uri in [
        "file:///public/a",
        "file:///public/",
        "file:///public/a%20b",
        "file:///public/a%23b",
        "file:///public/a?b=c",
        "http://good.example/x?q=a%2Fb",
        "x://any.md",
        "file:///any/dir/a%23b.md",
    ] {
        assert!(is_shown(public(), uri), "{uri}");
    }
    let odd = || allow(&["HTTP://Good.Example:80/a%20b", "file:///x/"]);
    assert!(is_shown(odd(), "HTTP://Good.Example:80/a%20b"));
    assert!(is_shown(odd(), "file:///x/"));
    assert!(!is_shown(odd(), "http://good.example/a b"), "it is not as it was written");
}

/// One way to say the same.
#[derive(Debug, Clone)]
enum Respelling {
    /// Encodes the character at a place, so many times.
    Encode(prop::sample::Index, u8),
    EncodeAll,
    CapitalScheme,
    CapitalHost,
    DoubleSlash,
    Backslashes,
    Dot,
    Climb,
    User,
    Port,
    HostDot,
    Localhost,
    Fragment,
    Tab(prop::sample::Index),
    Blank,
    TrailingSlash,
    TrailingDot,
    OfServer,
}

fn respelling() -> impl Strategy<Value = Respelling> {
    use Respelling::*;
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), 1..4u8).prop_map(|(at, times)| Encode(at, times)),
        place().prop_map(Tab),
        prop::sample::select(vec![
            EncodeAll,
            CapitalScheme,
            CapitalHost,
            DoubleSlash,
            Backslashes,
            Dot,
            Climb,
            User,
            Port,
            HostDot,
            Localhost,
            Fragment,
            Blank,
            TrailingSlash,
            TrailingDot,
            OfServer,
        ]),
    ]
}

/// A URI in parts, so that a part can be said otherwise.
#[derive(Debug, Clone)]
struct Said {
    scheme: String,
    host: String,
    path: String,
    after: String,
    whole: Vec<Respelling>,
}

impl Said {
    fn of(scheme: &str, host: &str, path: &str) -> Self {
        let [scheme, host, path] = [scheme, host, path].map(str::to_owned);
        Self { scheme, host, path, after: String::new(), whole: Vec::new() }
    }

    fn plain(&self) -> String {
        format!("{}://{}{}{}", self.scheme, self.host, self.path, self.after)
    }

    fn respelled(mut self, ways: &[Respelling]) -> String {
        for way in ways {
            self = self.part(way);
        }
        let whole = std::mem::take(&mut self.whole);
        whole.iter().fold(self.plain(), in_whole)
    }

    fn part(mut self, way: &Respelling) -> Self {
        let is_file = self.scheme.eq_ignore_ascii_case("file");
        match way {
            Respelling::CapitalScheme => self.scheme = self.scheme.to_uppercase(),
            Respelling::CapitalHost => self.host = self.host.to_uppercase(),
            Respelling::DoubleSlash => self.path = self.path.replace('/', "//"),
            Respelling::Backslashes => self.path = self.path.replace('/', "\\"),
            Respelling::Dot => self.path = format!("/.{}", self.path),
            Respelling::Climb => self.path = format!("/x/..{}", self.path),
            Respelling::User if !is_file && !self.host.contains('@') => {
                self.host = format!("me:word@{}", self.host);
            }
            Respelling::Port if self.host.ends_with(['e', 'E', '.']) => {
                match self.scheme.to_lowercase().as_str() {
                    "http" => self.host.push_str(":80"),
                    "https" => self.host.push_str(":0443"),
                    _ => {}
                }
            }
            Respelling::HostDot if self.host.ends_with("example") => self.host.push('.'),
            Respelling::Localhost if is_file => self.host = "LocalHost".to_owned(),
            Respelling::Fragment => self.after = "#x".to_owned(),
            Respelling::TrailingSlash if self.after.is_empty() => self.path.push('/'),
            Respelling::TrailingDot if self.after.is_empty() => self.path.push('.'),
            Respelling::User
            | Respelling::Port
            | Respelling::HostDot
            | Respelling::Localhost
            | Respelling::TrailingSlash
            | Respelling::TrailingDot => {}
            whole => self.whole.push(whole.clone()),
        }
        self
    }
}

fn in_whole(text: String, way: &Respelling) -> String {
    let encoded = |c: char| c.to_string().bytes().map(|b| format!("%{b:02x}")).collect::<String>();
    match way {
        Respelling::EncodeAll => text.chars().map(encoded).collect(),
        Respelling::Encode(at, times) => {
            let at = at.index(text.chars().count());
            let encode = |(place, c): (usize, char)| {
                let once = if place == at { encoded(c) } else { c.to_string() };
                (1..*times).fold(once, |all, _| match place == at {
                    true => all.replace('%', "%25"),
                    false => all,
                })
            };
            text.chars().enumerate().map(encode).collect()
        }
        Respelling::Tab(at) => {
            let at = at.index(text.chars().count());
            let (before, after): (String, String) =
                (text.chars().take(at).collect(), text.chars().skip(at).collect());
            format!("{before}\t{after}")
        }
        Respelling::Blank => format!(" {text} "),
        Respelling::OfServer => format!("toolgate://of/inner/{text}"),
        _ => text,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn resource_spellings_no_respelling_of_a_denied_uri_is_let_through(
        (scheme, host) in prop::sample::select(vec![
            ("file", ""), ("http", "host.example"), ("https", "host.example"),
            ("db", "host.example"), ("ui", "app.example"),
        ]),
        path in "(/[a-zß]{1,4}){1,3}",
        ways in prop::collection::vec(respelling(), 0..6),
    ) {
        let said = Said::of(scheme, host, &path);
        let (plain, folder) = (said.plain(), path.rfind('/').unwrap_or(0));
        let patterns = [
            plain.clone(),
            format!("{scheme}://{host}{}/*", &path[..folder]),
            format!("*{path}"),
            format!("files:{plain}"),
        ];
        let uri = said.respelled(&ways);
        for pattern in &patterns {
            prop_assert!(!is_shown(deny(&[pattern]), &uri), "{:?} by {}", uri, pattern);
        }
    }

    #[test]
    fn resource_spellings_a_deny_in_any_spelling_denies_the_plain_uri(
        path in "(/[a-z]{1,4}){1,3}",
        ways in prop::collection::vec(respelling(), 0..4),
    ) {
        let said = Said::of("http", "host.example", &path);
        let is_sayable = |way: &&Respelling| {
            // A pattern holds no control characters, and is about a server's own URIs.
            !matches!(way, Respelling::Tab(_) | Respelling::OfServer)
        };
        let ways: Vec<_> = ways.iter().filter(is_sayable).cloned().collect();
        let plain = said.plain();
        let pattern = said.respelled(&ways);
        prop_assert!(!is_shown(deny(&[&pattern]), &plain), "{} by {}", plain, pattern);
    }

    /// Whatever comes: it takes no long time and does not fail.
    #[test]
    fn resource_spellings_any_text_is_either_shown_or_hidden(uri in "\\PC{0,40}|[%/.:\\\\a2f?#@]{0,40}") {
        is_shown(deny(&["file:///etc/*"]), &uri);
        is_shown(allow(&["file:///etc/*"]), &uri);
    }
}
