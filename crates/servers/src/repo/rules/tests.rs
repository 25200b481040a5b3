//! Which names are refused, and which that look like them are not.

use std::ffi::OsStr;

use super::{GIT, SECRET, refuses_file, refuses_place};

#[test]
fn names_of_secrets_are_refused_in_every_spelling() {
    let names = [
        ".env",
        ".ENV",
        ".Env.local",
        ".env.production",
        ".env.example.local",
        ".env.bak",
        ".env~",
        "#.env#",
        ".env ",
        ".env.",
        ".e\u{200d}nv",
        ".env:stream",
        "prod.env",
        ".envrc",
        "server.pem",
        "server.PEM",
        "server.\u{212a}ey",
        "tls.key.old",
        "a.p12",
        "a.pfx",
        "id_rsa",
        "id_rsa.pub",
        "id_rsa_work",
        "id_ed25519",
        ".netrc",
        ".npmrc",
        "credentials",
        "credentials.json",
        ".credentials.json",
        "application_default_credentials.json",
        "secrets.yaml",
        "client_secret_12.json",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        ".aws",
        ".\u{17f}\u{17f}h",
        ".toolgate",
    ];
    for name in names {
        assert_eq!(refuses_file(OsStr::new(name)), Some(SECRET), "{name:?}");
    }
}

#[test]
fn names_that_only_look_like_secrets_are_served() {
    let names = [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.local.example",
        "example.env",
        "environment.rs",
        "env",
        "keys.rs",
        "key",
        "monkey",
        "credentials.rs",
        "credential.rs",
        "credentials_test.go",
        "secrets.md",
        "id_rsa.rs",
        "pem.rs",
        "ssh",
        "aws.ts",
        ".toolgate.toml",
        "README.md",
        ".gitignore",
        ".github",
        "git",
    ];
    for name in names {
        assert_eq!(refuses_file(OsStr::new(name)), None, "{name:?}");
    }
}

#[test]
fn gits_folder_is_refused_in_every_spelling() {
    for name in [".git", ".GIT", ".Git", ".git.", ".git ", ".g\u{200c}it", ".git::$DATA", "GIT~1"] {
        assert_eq!(refuses_place(OsStr::new(name)), Some(GIT), "{name:?}");
    }
}

#[test]
fn a_folder_may_be_called_what_a_file_may_not() {
    for name in ["credentials", "secrets", "x.key", ".env.d"] {
        assert_eq!(refuses_place(OsStr::new(name)), None, "{name:?}");
    }
}
