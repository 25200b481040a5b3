//! Which tests are seen, how they are named, and what they claim.
//!
//! The samples are never compiled.

use crate::sample::lines;
use xtask::requirements::{TestClaims, claims_in};

fn claims(body: &str) -> TestClaims {
    claims_in("crates/config/tests/it/discovery.rs", body)
}

#[test]
fn a_test_is_named_by_its_file() {
    for (file, name) in [
        ("crates/config/tests/it/discovery.rs", "config/discovery::walks_up"),
        ("crates/cli/tests/it/mcp/add.rs", "cli/mcp::add::walks_up"),
        ("crates/types/src/id/tests.rs", "types/id::tests::walks_up"),
        ("xtask/tests/it/tidy.rs", "xtask/tidy::walks_up"),
    ] {
        let found = claims_in(file, "#[test]\nfn walks_up() {}\n");
        assert_eq!(found.tests[0].name, name);
    }
}

#[test]
fn claims_are_read_from_the_doc_comment() {
    let found = claims(
        "/// Walks up.\n///\n/// Shows: S0-13,\n/// S0-14, C7.\n/// More words, S9.\n\
         #[tokio::test(\n    flavor = \"current_thread\",\n)]\n#[cfg(unix)]\nasync fn a() {}\n\
         #[test]\nfn b() {}\n",
    );
    assert_eq!(found.findings, []);
    assert_eq!(found.tests.len(), 2);
    assert_eq!(found.tests[0].rows, ["S0-13", "S0-14", "C7"]);
    assert_eq!(found.tests[0].line, 10);
    assert!(found.tests[1].rows.is_empty());
}

#[test]
fn a_claim_does_not_reach_the_next_function() {
    let found = claims("/// Shows: S0-13.\n#[test]\nfn a() {\n    b();\n}\n\n#[test]\nfn c() {}\n");
    assert!(found.tests[1].rows.is_empty());
}

#[test]
fn samples_in_literals_are_no_tests() {
    let found =
        claims("const A: &str = r\"\n/// Shows: S0-13.\n#[test]\nfn a() {}\n\";\nfn b() {}\n");
    assert!(found.tests.is_empty() && found.findings.is_empty(), "{found:?}");
}

#[test]
fn unreadable_claims_are_found() {
    for (body, message) in [
        ("/// Shows: S0-13\n#[test]\nfn a() {}", "3: `a`: `Shows:` without a full stop"),
        ("/// Shows: S0-9…12.\n#[test]\nfn a() {}", "3: `a`: claims `S0-9…12`, not a row"),
        ("/// Shows: S0-13.\nfn a() {}", "2: `a` claims rows and is not a test"),
        ("/// Shows: C1.\n#[test]\n#[ignore]\nfn a() {}", "4: `a` claims rows and is ignored"),
    ] {
        assert_eq!(lines(&claims(body).findings), [message]);
    }
}
