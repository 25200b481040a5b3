//! Gemini CLI.

use insta::assert_json_snapshot;
use toolgate_config::clients::KnownClient;

use super::{import_sample, server, shown};

#[test]
fn a_file_of_gemini_cli() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Gemini, "gemini/settings.json")));
}

#[test]
fn a_server_that_is_excluded_beside_its_entry_is_off() {
    let imported = import_sample(KnownClient::Gemini, "gemini/settings.json");
    assert_eq!(server(&imported, "events").entry["enabled"], false);
    assert_eq!(server(&imported, "typed").entry["enabled"], false);
    assert!(!server(&imported, "stream").entry.contains_key("enabled"));
}
