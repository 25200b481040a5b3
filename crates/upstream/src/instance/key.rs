//! What makes two runs of a server the same one: the entry, what it resolves to, for whom and where.
//!
//! A keyed hash, so that what is kept by it says nothing about the secrets in it.

use toolgate_store::{KeyedHash, ProjectRoot};
use toolgate_types::config::{
    Confinement, Entry, HeaderValue, Isolation, RemoteServer, ResourceLimits, Server, Transport,
};
use toolgate_types::{Digest, EnvName, ServerId};

use super::ProcessGround;
use crate::ServerSurroundings;
use crate::open::described;

/// The key of a snapshot: a session is no part of it, so that all sessions share one.
pub(crate) fn snapshot_key(
    secret: &[u8; 32],
    entry: &Entry<Server>,
    ground: &ProcessGround,
) -> Digest {
    let mut hash = InstanceHash::new(secret);
    hash.written(entry, ground).resolved(&entry.value.transport, ground);
    hash.digest()
}

/// What hosts must have in common to share an instance. A process is shared by all who would start
/// it in the same folder with the same environment; anything else belongs to its host.
pub(crate) fn pool_key(
    id: &ServerId,
    entry: &Entry<Server>,
    ground: &ProcessGround,
    world: &ServerSurroundings,
) -> Digest {
    // Compared within this process and never kept, so the key of the hash guards nothing.
    let mut hash = InstanceHash::new(&[0; 32]);
    hash.part(id.as_str().as_bytes());
    hash.written(entry, ground).resolved(&entry.value.transport, ground);
    // Each project accepts the tools of its own entries, and a person's own are another matter.
    let pins = ground.pins.as_ref().map(|book| book.key());
    let root = pins.and_then(|pins| pins.root.as_ref()).map(ProjectRoot::as_path);
    hash.part(&[u8::from(pins.is_some())]);
    hash.part(root.map_or(&[], |root| root.as_os_str().as_encoded_bytes()));
    match &entry.value.transport {
        Transport::Stdio(stdio) if ground.serve.is_none() => {
            // The same words mean other walls in a project's file than in a person's own.
            let Confinement { profile, network, readable, writable, limits } = &stdio.confinement;
            let ResourceLimits { processes, memory_bytes, file_bytes, scratch_bytes, cpu_seconds } =
                *limits;
            let processes = u64::from(processes);
            for limit in [processes, memory_bytes, file_bytes, scratch_bytes, cpu_seconds] {
                hash.part(&limit.to_le_bytes());
            }
            hash.part(profile.as_str().as_bytes()).part(network.to_string().as_bytes());
            for opened in [readable, writable] {
                hash.part(&opened.len().to_le_bytes());
                for path in opened {
                    hash.part(path.as_bytes());
                }
            }
            let described = described(stdio, &ground.folder, &ground.variables);
            hash.part(described.folder.as_os_str().as_encoded_bytes());
            for (name, value) in described.environment().iter() {
                hash.part(name.as_encoded_bytes()).part(value.as_encoded_bytes());
            }
        }
        transport => {
            hash.part(&world.number.to_bytes());
            // Another program is another credential.
            if let Transport::Remote(RemoteServer { auth_provider: Some(id), .. }) = transport {
                hash.part(world.token_commands.read().described(id.expose()).as_bytes());
            }
        }
    }
    hash.digest()
}

struct InstanceHash(KeyedHash);

impl InstanceHash {
    fn new(secret: &[u8; 32]) -> Self {
        Self(KeyedHash::new(secret))
    }

    /// Each part with its length, so that no two sequences run together.
    fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    fn digest(self) -> Digest {
        self.0.digest()
    }

    /// The entry as it is written, for whom and where.
    fn written(&mut self, entry: &Entry<Server>, ground: &ProcessGround) -> &mut Self {
        self.part(&entry.fingerprint.entry.0);
        for (path, digest) in &entry.fingerprint.files {
            self.part(path.as_bytes()).part(&digest.0);
        }
        self.part(ground.principal.as_bytes());
        match entry.value.isolation {
            Isolation::Machine => self.part(b"machine"),
            Isolation::Workspace | Isolation::Session => {
                self.part(ground.folder.as_os_str().as_encoded_bytes())
            }
        }
    }

    fn variable(&mut self, name: &EnvName, ground: &ProcessGround) {
        self.part(name.as_str().as_bytes());
        match ground.variables.get(name.as_str()) {
            Some(value) => self.part(b"set").part(value.as_bytes()),
            None => self.part(b"unset"),
        };
    }

    fn resolved(&mut self, transport: &Transport, ground: &ProcessGround) {
        match transport {
            Transport::Stdio(stdio) => {
                self.part(stdio.command.expose().as_bytes());
                for arg in &stdio.args {
                    self.part(arg.expose().as_bytes());
                }
                self.part(stdio.cwd.as_ref().map_or("", |cwd| cwd.expose()).as_bytes());
                for (name, value) in &stdio.env {
                    self.part(name.as_str().as_bytes()).part(value.expose().as_bytes());
                }
                for name in &stdio.env_vars {
                    self.variable(name, ground);
                }
            }
            Transport::Remote(remote) => {
                self.part(remote.endpoint.url().as_str().as_bytes());
                for (name, value) in &remote.headers {
                    self.part(name.as_str().as_bytes());
                    match value {
                        HeaderValue::Given(text) => drop(self.part(text.expose().as_bytes())),
                        HeaderValue::FromEnv(name) => self.variable(name, ground),
                    }
                }
                if let Some(name) = &remote.bearer_token_env {
                    self.variable(name, ground);
                }
            }
            Transport::Builtin | Transport::Commands(_) => {}
        }
    }
}
