//! The folders that a server is told of where no caller tells any: the workspace that it runs for.

use std::path::Path;

use toolgate_types::config::{Isolation, Server, Transport};
use toolgate_wire::{ObjectSplice, Payload, SpliceValue};
use url::Url;

/// The answer to `roots/list`, as JSON. A server that workspaces share works for none of them, and a
/// remote one has no use for a folder of this machine: both are told of none.
pub(crate) fn own_roots(server: &Server, workspace: &Path) -> String {
    let is_remote = matches!(server.transport, Transport::Remote(_));
    let has_workspace = !is_remote && server.isolation != Isolation::Machine;
    let url = has_workspace.then(|| Url::from_file_path(workspace).ok()).flatten();
    let Some(url) = url else { return r#"{"roots":[]}"#.to_owned() };
    let name = workspace.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut root = ObjectSplice::new();
    root.set("uri", SpliceValue::text(url.as_str()));
    if let Some(name) = name {
        root.set("name", SpliceValue::text(name));
    }
    let mut out = br#"{"roots":["#.to_vec();
    root.write(&mut out);
    out.extend_from_slice(b"]}");
    String::from_utf8(out).unwrap_or_else(|_| r#"{"roots":[]}"#.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_uri_and_a_server_of_the_machine_is_told_of_none() {
        let mut server = Server::new(Transport::Builtin);
        let told = own_roots(&server, Path::new("/a b/ö\"c"));
        assert_eq!(told, r#"{"roots":[{"uri":"file:///a%20b/%C3%B6%22c","name":"ö\"c"}]}"#);
        assert_eq!(own_roots(&server, Path::new("/")), r#"{"roots":[{"uri":"file:///"}]}"#);
        assert_eq!(own_roots(&server, Path::new("not/absolute")), r#"{"roots":[]}"#);
        server.isolation = Isolation::Machine;
        assert_eq!(own_roots(&server, Path::new("/a")), r#"{"roots":[]}"#);
    }
}
