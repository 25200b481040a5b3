//! The files of a repository as resources, under the same rules as its tools.

use std::fs;

use toolgate_servers::{PrivatePlaces, RepoServer};
use toolgate_types::ResourceRefusal;

use crate::session::Ground;

#[tokio::test]
async fn a_file_is_read_by_its_address_and_nothing_else_is() {
    let ground = Ground::with(&[("a b/é.txt", "text\n"), (".env", "canary"), ("x", "1")]);
    fs::write(ground.beside("outside"), "canary").unwrap();
    ground.link("out", ground.beside("outside"));
    let resources = RepoServer::new(ground.root(), PrivatePlaces::default()).resources();
    assert_eq!(resources.templates()[0].uri_template, "repo:///{+path}");
    assert!(resources.list(None).await.unwrap().resources.is_empty());
    let read = resources.read("repo:///a%20b/%C3%A9.txt").await.unwrap();
    assert_eq!(read.text, "text\n");
    let absent = resources.read("repo:///none").await.unwrap_err();
    assert_eq!(absent, ResourceRefusal::NotFound("repo:///none".to_owned()));
    for path in [".env", "out", "../outside", "%2e%2e/outside", ".git/config", "x%00", "", "x?a"] {
        assert!(resources.read(&format!("repo:///{path}")).await.is_err(), "{path}");
    }
    assert!(resources.read("file:///etc/passwd").await.is_err());
}
