//! Which part of an argument is a secret.

use super::*;

#[test]
fn a_name_and_a_secret_in_one_argument_are_parted_at_the_separator() {
    for (text, shown) in [
        ("--api-key=x", "--api-key="),
        ("-token=x", "-token="),
        ("GITHUB_TOKEN=x", "GITHUB_TOKEN="),
        ("Authorization: Bearer x", "Authorization:"),
        ("X-Api-Key:x", "X-Api-Key:"),
        ("--password=a=b:c", "--password="),
    ] {
        assert_eq!(secret_starts_at(text), Some(shown.len()), "{text}");
    }
}

#[test]
fn addresses_paths_and_harmless_names_are_left_alone() {
    for text in [
        "--mode=fast",
        "NODE_ENV=production",
        "https://token.example.com/a=b",
        "mcp/secrets:latest",
        "./secret.txt",
        "token",
        "é=token",
        "",
    ] {
        assert_eq!(secret_starts_at(text), None, "{text}");
    }
}

#[test]
fn tokens_of_known_makers_are_secrets_under_any_name() {
    assert!(looks_secret("OPAQUE", "ghp_abc") && looks_secret("", "sk-abc"));
    assert!(looks_secret("MY_PASSWORD", "x"));
    assert!(!looks_secret("NODE_ENV", "production"));
}
