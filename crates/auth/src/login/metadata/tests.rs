//! Metadata counts for the server and the issuer that it was asked about, and for no other.

use super::*;
use serde_json::json;

fn resource(server: &str, resource: &str) -> Option<Result<ProtectedResource, LoginError>> {
    let body = json!({ "resource": resource, "authorization_servers": ["https://login.example"] });
    ProtectedResource::read(body.to_string().as_bytes(), &Url::parse(server).unwrap())
}

#[test]
fn a_resource_is_the_server_or_the_place_above_it() {
    let server = "https://a.example/public/mcp?key=1";
    for good in [
        "https://a.example/public/mcp",
        "https://a.example/public/mcp/",
        "https://a.example/public",
        "https://a.example",
        "https://a.example/",
    ] {
        // The spelling is what tokens are asked for with.
        assert_eq!(resource(server, good).unwrap().unwrap().resource, good);
    }
    for other in [
        "https://b.example/public/mcp",
        "http://a.example/public/mcp",
        "https://a.example:444/public/mcp",
        "https://a.example/pub",
        "https://a.example/public/mcp/more",
        "https://a.example/public/mcp#x",
        "mcp",
        "",
    ] {
        let refused = resource(server, other).unwrap();
        assert!(matches!(refused, Err(LoginError::BadMetadata(_))), "{other}");
    }
    assert!(ProtectedResource::read(b"<html>", &Url::parse(server).unwrap()).is_none());
    assert!(ProtectedResource::read(b"{}", &Url::parse(server).unwrap()).is_none());
}

fn server(issuer: &str, token: &str) -> serde_json::Value {
    json!({ "issuer": issuer, "token_endpoint": token, "authorization_endpoint": "https://l.example/a" })
}

fn read(document: &serde_json::Value, issuer: &str) -> Result<AuthorizationServer, LoginError> {
    AuthorizationServer::read(document.to_string().as_bytes(), issuer).unwrap()
}

#[test]
fn an_issuer_speaks_for_itself_only() {
    let token = "https://l.example/token";
    for (said, asked) in [
        ("https://l.example", "https://l.example"),
        ("https://l.example/", "https://l.example"),
        ("https://l.example", "https://l.example/"),
        ("https://l.example/t", "https://l.example/t"),
    ] {
        let found = read(&server(said, token), asked).unwrap();
        // What it calls itself is what it is held to later.
        assert_eq!(found.issuer.as_deref(), Some(said));
    }
    for (said, asked) in [
        ("https://evil.example", "https://l.example"),
        ("https://l.example/t/", "https://l.example/t"),
        ("https://l.example/T", "https://l.example/t"),
        ("https://L.example", "https://l.example"),
        ("", "https://l.example"),
    ] {
        let refused = read(&server(said, token), asked);
        assert!(matches!(refused, Err(LoginError::BadMetadata(_))), "{said} for {asked}");
    }
    let mut promising = server("https://l.example", token);
    assert!(!read(&promising, "https://l.example").unwrap().names_issuer);
    promising["authorization_response_iss_parameter_supported"] = true.into();
    assert!(read(&promising, "https://l.example").unwrap().names_issuer);
    assert!(AuthorizationServer::read(b"{}", "https://l.example").is_none());
}

#[test]
fn one_bad_endpoint_spoils_the_document() {
    let mut document = server("https://l.example", "https://l.example/token");
    assert!(!read(&document, "https://l.example").unwrap().is_s256);
    document["code_challenge_methods_supported"] = json!(["plain", "S256"]);
    assert!(read(&document, "https://l.example").unwrap().is_s256);
    document["registration_endpoint"] = "file:///etc/passwd".into();
    read(&document, "https://l.example").unwrap_err();
}
