//! What makes two runs of a server the same one: the entry, what it resolves to, for whom and where.
//!
//! A keyed hash, so that what is kept by it says nothing about the secrets in it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use toolgate_types::config::{Entry, HeaderValue, Isolation, Server, Transport};
use toolgate_types::{Digest, EnvName};

use super::World;

/// The key of a snapshot.
pub(crate) fn snapshot_key(secret: &[u8; 32], entry: &Entry<Server>, world: &World) -> Digest {
    let mut hash = Hash::new(secret);
    hash.part(&entry.fingerprint.entry.0);
    for (path, digest) in &entry.fingerprint.files {
        hash.part(path.as_bytes()).part(&digest.0);
    }
    hash.part(world.principal.as_bytes());
    match entry.value.isolation {
        Isolation::Machine => hash.part(b"machine"),
        // A snapshot is shared by the sessions of a workspace: none of them is part of it.
        Isolation::Workspace | Isolation::Session => {
            hash.part(world.workspace.as_os_str().as_encoded_bytes())
        }
    };
    hash.resolved(&entry.value.transport, world);
    Digest(hash.0.finalize().into_bytes().into())
}

struct Hash(Hmac<Sha256>);

impl Hash {
    fn new(secret: &[u8; 32]) -> Self {
        // A shorter key is filled with zeros, as HMAC itself would do it.
        let mut key = [0; 64];
        key[..32].copy_from_slice(secret);
        Self(Hmac::new(&key.into()))
    }

    /// Each part with its length, so that no two sequences run together.
    fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    fn variable(&mut self, name: &EnvName, world: &World) {
        self.part(name.as_str().as_bytes());
        match world.variables.get(name.as_str()) {
            Some(value) => self.part(b"set").part(value.as_bytes()),
            None => self.part(b"unset"),
        };
    }

    fn resolved(&mut self, transport: &Transport, world: &World) {
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
                    self.variable(name, world);
                }
            }
            Transport::Remote(remote) => {
                self.part(remote.endpoint.url().as_str().as_bytes());
                for (name, value) in &remote.headers {
                    self.part(name.as_str().as_bytes());
                    match value {
                        HeaderValue::Given(text) => drop(self.part(text.expose().as_bytes())),
                        HeaderValue::FromEnv(name) => self.variable(name, world),
                    }
                }
                if let Some(name) = &remote.bearer_token_env {
                    self.variable(name, world);
                }
            }
            Transport::Builtin => {}
        }
    }
}
