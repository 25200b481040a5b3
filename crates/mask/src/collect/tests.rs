//! Every place of a configuration that can hold a secret is looked into.

use std::sync::Arc;

use indexmap::IndexMap;

use toolgate_types::config::{
    Confinement, Entry, InheritEnv, NetworkAccess, RemoteKind, ResourceLimits, SandboxProfile,
    Stderr,
};
use toolgate_types::{
    ConfigSource, Digest, Fingerprint, HeaderName, Layer, LayerGrade, Origin, ServerId, ToolId,
};

use super::*;
use crate::Masker;

fn entry<T>(value: T) -> Entry<T> {
    let origin = Origin {
        layer: Layer::Global,
        grade: LayerGrade::Person,
        source: Arc::new(ConfigSource::Overrides),
        key: String::new(),
        line: 1,
    };
    let fingerprint = Fingerprint { entry: Digest([0; 32]), files: BTreeMap::new() };
    Entry { value, origin, fingerprint, values: Vec::new() }
}

fn confinement() -> Confinement {
    Confinement {
        profile: SandboxProfile::None,
        network: NetworkAccess::Off,
        readable: Vec::new(),
        writable: Vec::new(),
        limits: ResourceLimits::default(),
    }
}

fn server(transport: Transport) -> Server {
    Server::new(transport)
}

fn stdio() -> StdioServer {
    StdioServer {
        command: ConfigText::expanded("${BIN}".into(), "secret-in-command".into()),
        args: vec![
            ConfigText::masked("--api-key=***".into(), "--api-key=secret-in-args".into()),
            ConfigText::Plain("plain-argument".into()),
        ],
        cwd: Some(ConfigText::expanded(
            "${HOME}/x/${DIR}".into(),
            "/home/me/x/secret-in-cwd".into(),
        )),
        env: IndexMap::from([(name("A"), ConfigText::hidden("secret-in-env".into()))]),
        env_vars: vec![name("HANDED_ON"), name("HOME"), name("UNSET")],
        inherit_env: InheritEnv::Core,
        stderr: Stderr::Pipe,
        confinement: confinement(),
    }
}

fn remote() -> RemoteServer {
    let endpoint = |url: &str| Endpoint::parse(ConfigText::Plain(url.into())).unwrap();
    let header = |name: &str| HeaderName::parse(name).unwrap();
    let hidden = |value: &str| Some(ConfigText::hidden(value.into()));
    RemoteServer {
        endpoint: endpoint("https://h/mcp?api_key=secret%20in-query&page=number-one"),
        kind: RemoteKind::Auto,
        headers: IndexMap::from([
            (
                header("Cookie"),
                HeaderValue::Given(ConfigText::hidden(
                    "id=secret-in-cookie; b=secret-of-another".into(),
                )),
            ),
            (header("X-A"), HeaderValue::FromEnv(name("HEADER_VALUE"))),
            (
                header("X-B"),
                HeaderValue::Given(ConfigText::expanded(
                    "Bearer ${B}".into(),
                    "Bearer secret-in-header".into(),
                )),
            ),
        ]),
        bearer_token_env: Some(name("BEARER")),
        auth_provider: None,
        oauth: Some(Oauth {
            authorization_url: Some(endpoint("https://h/auth?token=secret-in-authorize")),
            token_url: Some(endpoint("https://h/token?token=secret-in-token-url")),
            registration_url: Some(endpoint("https://h/reg?token=secret-in-register")),
            client_id: hidden("secret-in-client-id"),
            client_secret: hidden("secret-in-client-secret"),
            scope: hidden("secret-in-scope"),
            resource: hidden("secret-in-resource"),
            client_metadata_url: Some(endpoint("https://h/client?token=secret-in-client-document")),
            ..Oauth::default()
        }),
        ca_file: hidden("secret-in-ca-file"),
    }
}

fn tool() -> CommandTool {
    CommandTool {
        args: vec![ConfigText::hidden("secret-in-tool-args".into())],
        cwd: Some(ConfigText::hidden("secret-in-tool-cwd".into())),
        env: IndexMap::from([(name("A"), ConfigText::hidden("secret-in-tool-env".into()))]),
        env_vars: vec![name("TOOL_HANDED_ON")],
        ..CommandTool::new(ConfigText::hidden("secret-in-tool-command".into()))
    }
}

fn name(name: &str) -> EnvName {
    EnvName::parse(name).unwrap()
}

fn masker() -> Masker {
    let mut config = Config::default();
    let id = |id: &str| ServerId::parse(id).unwrap();
    config.servers.insert(id("stdio"), entry(server(Transport::Stdio(stdio()))));
    config.servers.insert(id("remote"), entry(server(Transport::Remote(remote()))));
    config.servers.insert(id("own"), entry(server(Transport::Builtin)));
    config.tools.insert(ToolId::parse("tool").unwrap(), entry(tool()));
    let variables = [
        ("HANDED_ON", "secret-handed-on"),
        ("TOOL_HANDED_ON", "secret-tool-handed-on"),
        ("HEADER_VALUE", "secret-header-variable"),
        ("BEARER", "secret-bearer-variable"),
        ("OTHER_API_KEY", "secret-by-its-name"),
        ("DIR", "secret-in-cwd"),
        ("HOME", "/home/me"),
        ("EDITION", "ordinary-value"),
        ("MAX_TOKENS", "4096000"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Masker::of_config(&config, &variables.into())
}

/// Shows: S1-85, S3-44.
#[test]
fn every_secret_of_servers_tools_and_variables_is_masked_by_its_value() {
    let masker = masker();
    for secret in [
        "secret-in-command",
        "secret-in-args",
        "secret-in-cwd",
        "secret-in-env",
        "secret-handed-on",
        "secret in-query",
        "secret-header-variable",
        "secret-in-header",
        "secret-in-cookie",
        "secret-of-another",
        "secret-bearer-variable",
        "secret-in-authorize",
        "secret-in-token-url",
        "secret-in-register",
        "secret-in-client-id",
        "secret-in-client-secret",
        "secret-in-scope",
        "secret-in-resource",
        "secret-in-client-document",
        "secret-in-ca-file",
        "secret-in-tool-command",
        "secret-in-tool-args",
        "secret-in-tool-cwd",
        "secret-in-tool-env",
        "secret-tool-handed-on",
        "secret-by-its-name",
    ] {
        assert_eq!(masker.mask_text(&format!("it is {secret} there")), "it is *** there");
    }
}

#[test]
fn what_is_no_secret_stays() {
    let text = "/home/me runs plain-argument of ordinary-value with 4096000 on number-one";
    assert_eq!(masker().mask_text(text), text);
}

#[test]
fn a_text_made_of_ordinary_variables_is_no_secret() {
    let mut local = stdio();
    local.cwd = Some(ConfigText::expanded("${HOME}/project".into(), "/home/me/project".into()));
    let mut config = Config::default();
    config.servers.insert(ServerId::parse("a").unwrap(), entry(server(Transport::Stdio(local))));
    let masker = Masker::of_config(&config, &BTreeMap::new());
    assert_eq!(masker.mask_text("in /home/me/project"), "in /home/me/project");
}

#[test]
fn whoever_a_proxy_knows_is_a_secret_and_the_proxy_is_not() {
    for name in ["HTTP_PROXY", "https_proxy"] {
        let value = "http://bob:pass%40word-1@proxy.example:3128/".to_owned();
        let masker = Masker::of_config(&Config::default(), &[(name.to_owned(), value)].into());
        for said in ["http://bob:pass%40word-1@proxy.example:3128/", "pass%40word-1", "pass@word-1"]
        {
            let shown = masker.mask_text(said).into_owned();
            assert!(!shown.contains("word-1"), "{shown}");
        }
        assert_eq!(masker.mask_text("proxy.example:3128 refused"), "proxy.example:3128 refused");
    }
}

#[test]
fn what_is_kept_for_the_person_is_a_secret_whether_something_names_it_or_not() {
    let mut config = Config::default();
    let name = toolgate_types::SecretName::parse("unused").unwrap();
    config.kept_secrets.insert(name, Secret::new("kept-hunter-2222".to_owned()));
    let masker = Masker::of_config(&config, &BTreeMap::new());
    let shown = masker.mask_text("the key is kept-hunter-2222.").into_owned();
    assert!(shown.starts_with("the key is ") && !shown.contains("hunter"), "{shown}");
}
