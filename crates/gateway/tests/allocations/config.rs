//! What is configured: one server at a URL whose calls were approved beforehand, with its tools in the list.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_host::ApprovalMode;
use toolgate_types::config::{
    Config, Entry, Exposure, RemoteKind, RemoteServer, Server, Transport,
};
use toolgate_types::{
    ConfigSource, ConfigText, Digest, Endpoint, Fingerprint, Layer, LayerGrade, Milliseconds,
    Origin, ServerId,
};

pub(crate) fn config(url: &str) -> Config {
    let mut config = Config::default();
    // A list that is asked for anew in the middle would be counted too.
    config.limits.tools_ttl = Milliseconds::at_least_one(3_600_000);
    // On a machine that does much else the server may take a while to answer for the first time.
    config.limits.list_wait = Milliseconds::at_least_one(120_000);
    config.gateway.exposure = Exposure::Direct;
    config.servers.insert(ServerId::parse("one").unwrap(), entry(url));
    config
}

fn entry(url: &str) -> Entry<Server> {
    let transport = Transport::Remote(RemoteServer {
        endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
        kind: RemoteKind::Http,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth: None,
        ca_file: None,
    });
    Entry {
        value: Server { approval: Some(ApprovalMode::Approve), ..Server::new(transport) },
        // As if it stood in the person's own file.
        origin: Origin {
            layer: Layer::Runtime,
            grade: LayerGrade::Person,
            source: Arc::new(ConfigSource::Overrides),
            key: "servers.one".to_owned(),
            line: 0,
        },
        fingerprint: Fingerprint { entry: Digest([1; 32]), files: BTreeMap::new() },
        values: Vec::new(),
    }
}
