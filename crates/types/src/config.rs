//! The configured world: what a configuration means once it is read, merged and checked.
//!
//! Plain types that cannot be wrong by themselves. How they are written in files, and in which
//! layers, is `toolgate-config`; what the policy decides is `toolgate-guard`.

mod bundle;
mod confinement;
mod gateway;
mod http_entrance;
mod network_access;
mod package_server;
mod policy;
mod server;
mod settings;
mod token_command;
mod token_issuer;
mod tool;
mod tool_shaping;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

pub use bundle::{Bundle, BundleMode, Role, Workflow};
pub use confinement::{Confinement, InheritEnv, ResourceLimits, SandboxProfile};
pub use gateway::{CallerAuth, ClientSettings, Exposure, GatewaySection, MetaSection, Naming};
pub use http_entrance::{HttpEntrance, TlsFiles};
pub use network_access::{
    BadHostName, BadNamedHost, HostName, NamedHost, NetworkAccess, RequestedHost,
};
pub use package_server::{
    BadPackageServer, PackageName, PackageProgram, PackageServer, PackageSource,
};
pub use policy::{CallRule, NameFilter, Policy, RuleEffect};
pub use server::{
    ApprovalMode, HeaderValue, Isolation, Oauth, OauthGrant, RemoteKind, RemoteServer, Server,
    ServerTimeouts, Startup, Stderr, StdioServer, ToolSettings, Transport,
};
pub use settings::{
    ApprovalSection, AuditSection, AuditSync, Channel, CredentialStorage, Durability,
    LimitsSection, OuterWall, Profile, SandboxSection,
};
pub use token_command::{BadWebOrigin, TokenCommand, WebOrigin};
pub use token_issuer::{ClaimedRole, SignatureAlgorithm, TokenIssuer};
pub use tool::{ArgTemplate, CommandTool, SideEffect, SideEffects, TemplateError, TemplatePart};
pub use tool_shaping::{BadShownToolName, ShownToolName, ToolShaping};

use crate::{
    BundleId, Fingerprint, NamedSecrets, Origin, ProjectLock, RoleId, ServerId, SwitchedAway,
    ToolId, WorkflowId,
};

/// A configured thing with the place it came from and the fingerprint a person would accept.
#[derive(Debug, Clone)]
pub struct Entry<T> {
    pub value: T,
    pub origin: Origin,
    pub fingerprint: Fingerprint,
    /// The place of each value inside the entry, by its key as written.
    pub values: Vec<Origin>,
}

/// The whole configuration after the layers were merged. Order is the order of writing.
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub profile: Profile,
    pub servers: IndexMap<ServerId, Entry<Server>>,
    /// The ids of servers that are configured and not among these: entries that are invalid, and
    /// those that whoever uses the configuration left out. Their names are not for others to take.
    pub other_ids: BTreeSet<ServerId>,
    pub tools: IndexMap<ToolId, Entry<CommandTool>>,
    pub bundles: IndexMap<BundleId, Entry<Bundle>>,
    pub roles: IndexMap<RoleId, Entry<Role>>,
    pub workflows: IndexMap<WorkflowId, Entry<Workflow>>,
    /// One policy per layer that has one; all of them apply together.
    pub policies: Vec<Entry<Policy>>,
    pub gateway: GatewaySection,
    pub approval: ApprovalSection,
    pub sandbox: SandboxSection,
    pub audit: AuditSection,
    pub limits: LimitsSection,
    /// The person's own programs that give tokens, by the id that entries name.
    pub auth_providers: IndexMap<String, TokenCommand>,
    /// Where logins are kept.
    pub credentials: CredentialStorage,
    /// The folder that a project's entries belong to, where they come from files.
    pub project_root: Option<PathBuf>,
    /// What the project holds tools to be.
    pub lock: ProjectLock,
    /// Who looks at the files of a project again before something is started.
    pub second_look: Option<Arc<dyn SecondLook>>,
    /// What the person switched away beside all files; see [`Config::switch`].
    pub switched: SwitchedAway,
    /// The servers that are disabled by that alone.
    pub disabled_by_switch: BTreeSet<ServerId>,
    /// What agents are told where something of it could not be read.
    pub notice: Option<String>,
    /// The secrets that are kept for the person, named by an entry or not: one is a secret wherever it
    /// turns up.
    pub kept_secrets: NamedSecrets,
}

impl Config {
    /// Goes by what the person switched away, and not by what was before: a server that is off is not
    /// even started.
    pub fn switch(&mut self, switched: SwitchedAway) {
        for id in std::mem::take(&mut self.disabled_by_switch) {
            if let Some(entry) = self.servers.get_mut(&id) {
                entry.value.enabled = true;
            }
        }
        for id in switched.off.keys() {
            if let Some(entry) = self.servers.get_mut(id)
                && std::mem::replace(&mut entry.value.enabled, false)
            {
                self.disabled_by_switch.insert(id.clone());
            }
        }
        self.switched = switched;
    }
}

/// Looks again at the files that an entry names: what a person accepted may have changed since it was
/// read.
pub trait SecondLook: fmt::Debug + Send + Sync {
    /// A file that is not as it was, by the name that the entry has for it.
    fn changed(&self, server: &Entry<Server>) -> Option<String>;

    /// The same for a command tool.
    fn changed_of_tool(&self, tool: &Entry<CommandTool>) -> Option<String>;
}
