//! Which values of an entry count as credentials, and what takes their place.

use serde_json::json;

use super::*;

fn taken(entry: Value) -> (Value, Vec<(String, String, String)>) {
    let Value::Object(mut entry) = entry else { panic!("no entry") };
    let taken = take_out_credentials("my-api", &mut entry).into_iter().map(|one| {
        let TakenCredential { variable, key, value } = one;
        (variable, key, value.expose().to_owned())
    });
    let taken = taken.collect();
    (Value::Object(entry), taken)
}

fn row(variable: &str, key: &str, value: &str) -> (String, String, String) {
    (variable.to_owned(), key.to_owned(), value.to_owned())
}

#[test]
fn what_stands_under_a_name_for_secrets_becomes_a_variable() {
    let (entry, found) = taken(json!({
        "command": "x",
        "env": { "API_TOKEN": "abc", "MODE": "fast", "USE_TOKEN": "true", "OTHER": "${OTHER_TOKEN}" },
        "headers": { "Authorization": "Bearer abc", "X-Api-Key": "k", "X-Workspace": "demo" },
        "oauth": { "client_id": "public", "client_secret": "s" },
    }));
    let expected = json!({
        "command": "x",
        "env": { "MODE": "fast", "USE_TOKEN": "true", "OTHER": "${OTHER_TOKEN}" },
        "headers": { "Authorization": "Bearer ${MY_API_TOKEN}", "X-Api-Key": "${MY_API_API_KEY}",
            "X-Workspace": "demo" },
        "oauth": { "client_id": "public", "client_secret": "${MY_API_CLIENT_SECRET}" },
        "env_vars": ["API_TOKEN"],
    });
    assert_eq!(entry, expected);
    assert_eq!(
        found,
        [
            row("API_TOKEN", "env.API_TOKEN", "abc"),
            row("MY_API_TOKEN", "headers.Authorization", "abc"),
            row("MY_API_API_KEY", "headers.X-Api-Key", "k"),
            row("MY_API_CLIENT_SECRET", "oauth.client_secret", "s"),
        ]
    );
}

#[test]
fn tokens_are_known_by_their_shape_in_arguments_and_addresses_too() {
    let token = "ghp_abcdefghijklmnop";
    let (entry, found) = taken(json!({
        "args": ["-y", "server", "--api-key", "k3y", format!("--pat={token}"), token, "--port", "80"],
        "env": { "PLAIN": token },
    }));
    let args = [
        "-y",
        "server",
        "--api-key",
        "${MY_API_API_KEY}",
        "--pat=${MY_API_PAT}",
        "${MY_API_TOKEN}",
        "--port",
        "80",
    ];
    assert_eq!(entry, json!({ "args": args, "env_vars": ["PLAIN"] }));
    assert_eq!(found.len(), 4);
    let (entry, found) = taken(json!({ "url": "https://me:pw@a.example/mcp?api_key=k3y&page=2" }));
    let url = "https://me:${MY_API_PASSWORD}@a.example/mcp?api_key=${MY_API_API_KEY}&page=2";
    assert_eq!(entry, json!({ "url": url }));
    assert_eq!(found.len(), 2);
}

#[test]
fn an_entry_without_one_stays_as_it_is() {
    let plain = json!({
        "url": "https://a.example/mcp?page=2", "headers": { "Authorization": "Bearer ${TOKEN}" },
        "env": { "HOME_KEYBOARD": "qwerty" }, "args": ["--token-file", "x"],
    });
    let (entry, found) = taken(plain.clone());
    assert_eq!((entry, found.len()), (plain, 0));
}
