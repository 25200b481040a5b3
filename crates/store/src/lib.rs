//! What Toolgate keeps between runs, behind the trait [`Store`]: what a person accepted, what
//! servers spoke and offered, and the one secret of this installation; what happened, which is
//! [`AuditLog`]; large parts of results, which are [`ArtifactStore`]; who may call, which is [`Tokens`];
//! the folders that URLs name, which are [`Workspaces`]; tools as they were accepted, which are
//! [`Pins`]; what agents write down of their work, which is [`WorkBook`]; what a person switched away or approved for a window, which are [`Switches`]; and, in a
//! files of their own, the secrets that a configuration names, which are [`SecretsFile`], and the
//! logins at servers, which are [`LoginVault`].
//!
//! [`SqliteStore`] keeps it in `state.db` and in files beside it; [`MemoryStore`] keeps it for a
//! test and then forgets. The only SQL of the workspace is here, under `sqlite/`. Nothing here
//! decides: what an acceptance is worth is [`toolgate_types::Acceptances::standing`]. Nothing here
//! reads a clock, a configuration or `$HOME`: the caller names the folder and brings the time. Unix
//! only.

mod artifact;
mod artifact_page;
mod audit;
mod error;
mod installation;
mod journal;
mod kept_for;
mod kept_login;
mod keyed;
mod keyring;
mod login_files;
mod login_vault;
mod memory;
mod package_lock;
mod pin;
mod private_file;
mod random;
mod root;
#[cfg(target_os = "linux")]
mod secret_service;
mod secrets_file;
mod snapshot;
mod sqlite;
mod stored_logins;
mod switches;
mod time;
mod token;
mod work_book;
mod workspace;

use async_trait::async_trait;
use toolgate_types::{Acceptances, AcceptedEntry, Digest, EntryKind};

pub use artifact::{Artifact, ArtifactId, ArtifactStore, NewArtifact};
pub use artifact_page::{ArtifactPage, ArtifactRange, ArtifactReader, MOST_OF_ARTIFACT, is_text};
pub use audit::{
    AuditEntry, AuditHead, AuditKind, AuditLog, AuditPruning, AuditQuery, AuditRetention, AuditRow,
    AuditVerdict, AuditVisitor, JournalTail, LogHead, PruningRule, WrittenEntry,
};
pub use error::{StoreError, StoreFault};
pub use installation::InstallationKey;
pub use journal::{JournalHead, JournalId};
pub use kept_for::KeptFor;
pub use kept_login::{KeptLogin, LoginBinding, LoginHolder, LoginKey, LoginTokens};
pub use keyed::{HashKey, KeyedHash};
pub use keyring::{Keyring, KeyringAway, NoKeyring};
pub use login_files::LoginFiles;
pub use login_vault::{LoginVault, RenewalLock};
pub use memory::MemoryStore;
pub use package_lock::PackageLock;
pub use pin::{
    ObservedInstructions, ObservedTools, Pin, PinKey, PinnedInstructions, Pins, SeenTool,
};
pub use private_file::PrivateFileFailure;
pub use root::ProjectRoot;
#[cfg(target_os = "linux")]
pub use secret_service::SecretService;
pub use secrets_file::{KeptSecret, SecretsFile};
pub use snapshot::Snapshot;
pub use sqlite::SqliteStore;
pub use stored_logins::StoredLogins;
pub use switches::{Switches, WindowGrant};
pub use token::{KeptToken, TokenKind, TokenName, Tokens};
pub use work_book::{KeptNote, KeptPlan, NewNote, WorkBook};
pub use workspace::{Workspace, WorkspaceId, Workspaces};

/// Everything that is kept, by what it means and not by how.
///
/// What has a subject of its own is a trait of its own, for whoever needs no more than that. No
/// method has a default: a store that wraps another must pass each of them on.
///
/// A method that answered `Ok` has kept its word: it survives the end of this process.
#[async_trait]
pub trait Store:
    AuditLog + ArtifactStore + Tokens + Workspaces + Pins + Switches + WorkBook
{
    /// What was accepted at one project root, by kind and id.
    async fn acceptances(&self, root: &ProjectRoot) -> Result<Acceptances, StoreError>;

    /// What was accepted anywhere, by root, kind and id.
    async fn all_acceptances(&self) -> Result<Vec<(ProjectRoot, AcceptedEntry)>, StoreError>;

    /// Records one acceptance; an earlier one of the same root, kind and id is replaced whole.
    async fn accept(&self, root: &ProjectRoot, entry: AcceptedEntry) -> Result<(), StoreError>;

    /// Forgets one acceptance; `false` if there was none.
    async fn revoke(
        &self,
        root: &ProjectRoot,
        kind: EntryKind,
        id: &str,
    ) -> Result<bool, StoreError>;

    /// The revision of the protocol that an entry spoke the last time.
    async fn revision_of(&self, entry: Digest) -> Result<Option<String>, StoreError>;

    /// Remembers the revision that an entry speaks.
    async fn keep_revision(&self, entry: Digest, revision: &str) -> Result<(), StoreError>;

    /// What was last kept under a key.
    async fn snapshot(&self, key: Digest) -> Result<Option<Snapshot>, StoreError>;

    /// Keeps a snapshot; an earlier one of the same key is replaced whole. Only a thousand are
    /// kept: beyond that the oldest by `taken_at` go, but never the one just given.
    async fn keep_snapshot(&self, key: Digest, snapshot: Snapshot) -> Result<(), StoreError>;

    /// Forgets one snapshot; `false` if there was none.
    async fn forget_snapshot(&self, key: Digest) -> Result<bool, StoreError>;

    /// The packages of one server, as they were fixed.
    async fn package_lock(&self, key: &PinKey) -> Result<Option<PackageLock>, StoreError>;

    /// Fixes the packages of one server; an earlier word about them is replaced whole.
    async fn keep_package_lock(&self, key: &PinKey, lock: PackageLock) -> Result<(), StoreError>;

    /// Forgets the packages of one server; `false` if there were none.
    async fn forget_package_lock(&self, key: &PinKey) -> Result<bool, StoreError>;

    /// The secret of this installation, made when it is first asked for and the same ever after.
    /// Opened to look, it is found but not made.
    async fn installation_key(&self) -> Result<InstallationKey, StoreError>;
}
