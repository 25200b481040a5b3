//! A configured world in few words, for tests and benchmarks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_guard::{
    Administrator, AudienceRules, BundleInput, ConfiguredValue, MatterKind, MatterOwner,
    PolicyCase, PolicyMatter, RoleInput, ServerInput, ToolExposure, Unresolvable, Visibility,
    VisibilityInputs,
};
use toolgate_types::config::{
    Bundle, BundleMode, Confinement, Entry, InheritEnv, NameFilter, NetworkAccess, Policy,
    RemoteKind, RemoteServer, ResourceLimits, Role, SandboxProfile, Server, Stderr, StdioServer,
    Transport,
};
use toolgate_types::{
    BundleId, ConfigSource, ConfigText, Digest, Endpoint, Fingerprint, Layer, LayerGrade, Origin,
    Pattern, Principal, RoleId, ServerId, Trust,
};

pub(crate) const WORKSPACE: &str = "/code/project";

#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) servers: Vec<Known>,
    pub(crate) bundles: Option<Vec<(BundleId, Bundle)>>,
    pub(crate) role: Option<(RoleId, Role)>,
    pub(crate) policies: Vec<Policy>,
    pub(crate) administrator: Option<Administrator>,
}

#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: ServerId,
    pub(crate) entry: Server,
    pub(crate) trust: Trust,
    pub(crate) accepted: Option<BTreeSet<String>>,
}

impl World {
    /// With one server, `git`.
    pub(crate) fn with(trust: Trust) -> Self {
        Self::default().server("git", trust, |_| {})
    }

    pub(crate) fn server(
        mut self,
        name: &str,
        trust: Trust,
        change: impl FnOnce(&mut Known),
    ) -> Self {
        let mut known =
            Known { id: id(name), entry: server(process("srv", &[])), trust, accepted: None };
        change(&mut known);
        self.servers.push(known);
        self
    }

    pub(crate) fn bundle(
        mut self,
        name: &str,
        server: &str,
        mode: BundleMode,
        tools: NameFilter,
    ) -> Self {
        let bundle = Bundle { server: id(server), mode, description: None, tools };
        let bundles = self.bundles.get_or_insert_default();
        bundles.push((BundleId::parse(name).unwrap(), bundle));
        self
    }

    pub(crate) fn policy(mut self, tools: NameFilter) -> Self {
        self.policies.push(Policy { tools, ..Policy::default() });
        self
    }

    pub(crate) fn role(mut self, tools: NameFilter) -> Self {
        let role = Role { description: None, bundles: Vec::new(), tools };
        self.role = Some((RoleId::parse("reviewer").unwrap(), role));
        self
    }

    pub(crate) fn administrator(mut self, administrator: Administrator) -> Self {
        self.administrator = Some(administrator);
        self
    }

    pub(crate) fn inputs(&self) -> VisibilityInputs<'_> {
        let servers = self.servers.iter().map(|known| ServerInput {
            id: &known.id,
            entry: ConfiguredValue::nowhere(&known.entry),
            trust: known.trust,
            accepted: known.accepted.as_ref(),
        });
        let bundle = |(id, bundle)| BundleInput { id, entry: ConfiguredValue::nowhere(bundle) };
        let bundles = self
            .bundles
            .as_ref()
            .map(|all| all.iter().map(|(id, one)| bundle((id, one))).collect());
        let role = self.role.as_ref();
        VisibilityInputs {
            servers: servers.collect(),
            bundles,
            role: role.map(|(id, role)| RoleInput { id, entry: ConfiguredValue::nowhere(role) }),
            policies: self.policies.iter().map(ConfiguredValue::nowhere).collect(),
            administrator: self.administrator.as_ref(),
        }
    }

    pub(crate) fn visibility(&self) -> Result<Visibility, Vec<Unresolvable>> {
        Visibility::of(&self.inputs())
    }

    pub(crate) fn rules(&self) -> AudienceRules {
        AudienceRules::of(&self.inputs(), Path::new(WORKSPACE)).unwrap()
    }

    pub(crate) fn exposes(&self, server: &str, tool: &str) -> ToolExposure {
        self.visibility().unwrap().exposes(MatterOwner::Server(&id(server)), MatterKind::Tool, tool)
    }

    /// Those of the names that are shown as tools of `git`, in whatever way.
    pub(crate) fn shown<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let visibility = self.visibility().unwrap();
        let git = id("git");
        let is_shown = |name: &&str| {
            let exposed = visibility.exposes(MatterOwner::Server(&git), MatterKind::Tool, name);
            !matches!(exposed, ToolExposure::Hidden { .. })
        };
        names.iter().copied().filter(is_shown).collect()
    }
}

pub(crate) fn id(text: &str) -> ServerId {
    ServerId::parse(text).unwrap()
}

pub(crate) fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
}

pub(crate) fn allow(texts: &[&str]) -> NameFilter {
    NameFilter { allow: Some(patterns(texts)), deny: Vec::new() }
}

pub(crate) fn deny(texts: &[&str]) -> NameFilter {
    NameFilter { allow: None, deny: patterns(texts) }
}

pub(crate) fn accepted(names: &[&str]) -> Option<BTreeSet<String>> {
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

pub(crate) fn server(transport: Transport) -> Server {
    Server::new(transport)
}

pub(crate) fn process(command: &str, args: &[&str]) -> Transport {
    Transport::Stdio(StdioServer {
        command: ConfigText::Plain(command.to_owned()),
        args: args.iter().map(|arg| ConfigText::Plain((*arg).to_owned())).collect(),
        cwd: None,
        env: IndexMap::new(),
        env_vars: Vec::new(),
        inherit_env: InheritEnv::Core,
        stderr: Stderr::Pipe,
        confinement: Confinement {
            profile: SandboxProfile::Default,
            network: NetworkAccess::Off,
            readable: Vec::new(),
            writable: Vec::new(),
            limits: ResourceLimits::default(),
        },
    })
}

pub(crate) fn remote(url: &str) -> Transport {
    Transport::Remote(RemoteServer {
        endpoint: Endpoint::parse(ConfigText::Plain(url.to_owned())).unwrap(),
        kind: RemoteKind::Http,
        headers: IndexMap::new(),
        bearer_token_env: None,
        auth_provider: None,
        oauth: None,
        ca_file: None,
    })
}

/// Of a caller without a session, who was granted nothing.
pub(crate) fn case<'a>(
    matter: PolicyMatter<'a>,
    principal: &'a Principal,
    of: Digest,
) -> PolicyCase<'a> {
    PolicyCase {
        matter,
        principal,
        session: None,
        definition: of,
        grants: &[],
        unlike: None,
        arguments: None,
        defined: None,
    }
}

pub(crate) fn fingerprint() -> Fingerprint {
    Fingerprint { entry: Digest([7; 32]), files: BTreeMap::new() }
}

/// As it would come from a file.
pub(crate) fn entry<T>(value: T, grade: LayerGrade) -> Entry<T> {
    let origin = origin(grade, "x", 3);
    Entry { value, origin, fingerprint: fingerprint(), values: Vec::new() }
}

pub(crate) fn origin(grade: LayerGrade, key: &str, line: usize) -> Origin {
    let source = Arc::new(ConfigSource::File(PathBuf::from("/x/toolgate.toml")));
    let layer = if grade == LayerGrade::Person { Layer::Global } else { Layer::Project };
    Origin { layer, grade, source, key: key.to_owned(), line }
}
