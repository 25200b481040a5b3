//! The text of a profile, compared; whether macOS holds it nobody has tried.

use std::ffi::CString;

use toolgate_types::config::{NamedHost, ResourceLimits};

use super::*;
use crate::walls::{CreationRules, OuterStage};

fn walls() -> Walls {
    let text = |text: &str| CString::new(text).unwrap();
    let show = |place: &str, is_writable, is_folder| RootStep::Show {
        source: text(place),
        at: text(place),
        is_writable,
        is_folder,
    };
    Walls {
        outer: OuterStage::Namespaces,
        bubblewrap: None,
        user: 501,
        group: 20,
        steps: vec![
            RootStep::Link { at: text("/etc"), to: text("private/etc") },
            RootStep::Scratch { at: text("/Users/me"), bytes: 7 },
            show("/Users/me/a \"work\"", true, true),
            show("/Users/me/a \"work\"/.mcp.json", false, false),
            RootStep::Empty { at: text("/Users/me/a \"work\"/state") },
            show("/usr", false, true),
        ],
        writable: Vec::new(),
        creations: Some(CreationRules {
            root: text("/Users/me/a \"work\""),
            around: Vec::new(),
            free: Vec::new(),
            protected: vec![(text("/Users/me/a \"work\""), text(".git"))],
            only_made: Vec::new(),
        }),
        network: NetworkAccess::Off,
        learns: false,
        limits: ResourceLimits::default(),
    }
}

#[test]
fn a_profile_says_what_the_plan_says() {
    let expected = r#"(allow file-read-metadata (path-ancestors "/Users/me/a \"work\""))
(allow file-read* (subpath "/Users/me/a \"work\""))
(allow file-write* (subpath "/Users/me/a \"work\""))
(allow file-read-metadata (path-ancestors "/Users/me/a \"work\"/.mcp.json"))
(allow file-read* (literal "/Users/me/a \"work\"/.mcp.json"))
(deny file-write* (literal "/Users/me/a \"work\"/.mcp.json"))
(deny file-read* file-write* (subpath "/Users/me/a \"work\"/state"))
(allow file-read-metadata (path-ancestors "/usr"))
(allow file-read* (subpath "/usr"))
(deny file-write* (subpath "/usr"))
(deny file-write* (subpath "/Users/me/a \"work\"/.git"))
"#;
    let text = profile(&walls()).unwrap();
    assert_eq!(text.strip_prefix(BASE), Some(expected));
    assert!(text.starts_with("(version 1)\n(deny default)\n"));
    let open = Walls { network: NetworkAccess::Everything, ..walls() };
    assert!(profile(&open).unwrap().ends_with("(allow network* system-socket)\n"));
}

#[test]
fn what_it_cannot_hold_is_an_error() {
    let named = NetworkAccess::Named(vec![NamedHost::parse("example.com").unwrap()]);
    let named = profile(&Walls { network: named, ..walls() });
    assert!(matches!(named, Err(WallError::NamesWithSeatbelt)), "{named:?}");
    let odd = RootStep::Empty { at: CString::new("/a\n(allow default)").unwrap() };
    let odd = profile(&Walls { steps: vec![odd], ..walls() });
    assert!(matches!(odd, Err(WallError::Unquotable(_))), "{odd:?}");
}
