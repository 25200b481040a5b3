//! Objects by their ids, each within bounds, and none once a call has to stop.

use std::fmt;
use std::path::Path;

use gix_hash::{Kind as HashKind, ObjectId, Prefix};
use gix_object::{CommitRef, Find as _, Kind, TagRef, TreeRefIter};
use gix_odb::Header as _;

use super::super::RepoRefusal;
use super::super::bounds::StopSignal;

pub(super) const HASH: HashKind = HashKind::Sha1;

/// The largest object that is read.
pub(super) const LARGEST: u64 = 16 * 1024 * 1024;
/// What the reader may take at once: also for what an object is a difference to.
const LARGEST_AT_ONCE: usize = 64 * 1024 * 1024;
const MOST_TAGS: usize = 10;

pub(crate) struct GitObjects<'a> {
    store: gix_odb::Handle,
    stop: &'a StopSignal,
}

impl fmt::Debug for GitObjects<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GitObjects").finish_non_exhaustive()
    }
}

/// A commit, as far as it is needed.
#[derive(Debug, Clone)]
pub(crate) struct ReadCommit {
    pub(super) id: ObjectId,
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    pub(super) author: String,
    pub(super) email: String,
    /// When it was written, and when it was committed: seconds since 1970.
    pub(super) written: i64,
    pub(super) committed: i64,
    pub(super) message: String,
}

/// What a name in a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeItem {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

impl TreeItem {
    pub(super) fn is_folder(self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

impl<'a> GitObjects<'a> {
    pub(super) fn open(objects: &Path, stop: &'a StopSignal) -> Result<Self, RepoRefusal> {
        let options = gix_odb::store::init::Options {
            alloc_limit_bytes: Some(LARGEST_AT_ONCE),
            // Nothing is relative to where this process happens to be.
            current_dir: Some(objects.to_owned()),
            ..Default::default()
        };
        let store = gix_odb::at_opts(objects, HASH, None, options);
        let store = store.map_err(|error| RepoRefusal::Unreadable {
            path: ".git/objects".to_owned(),
            why: error.kind().to_string(),
        })?;
        Ok(Self { store, stop })
    }

    /// Any object, whole.
    fn read(&self, id: ObjectId) -> Result<(Kind, Vec<u8>), RepoRefusal> {
        if self.stop.is_due()? {
            return Err(RepoRefusal::Late);
        }
        let broken = |why| RepoRefusal::Object { id: id.to_string(), why };
        let header = self.store.try_header(&id).map_err(|_| broken("it cannot be read"))?;
        let header = header.ok_or_else(|| broken(MISSING))?;
        if header.size() > LARGEST {
            return Err(broken(TOO_LARGE));
        }
        let mut bytes = Vec::new();
        let found = self.store.try_find(&id, &mut bytes);
        let kind = match found {
            Ok(Some(data)) => data.kind,
            Ok(None) => return Err(broken(MISSING)),
            Err(_) => return Err(broken("it cannot be read")),
        };
        Ok((kind, bytes))
    }

    pub(super) fn commit(&self, id: ObjectId) -> Result<ReadCommit, RepoRefusal> {
        let (kind, bytes) = self.read(id)?;
        let broken = |why| RepoRefusal::Object { id: id.to_string(), why };
        if kind != Kind::Commit {
            return Err(broken("it is no commit"));
        }
        let commit = CommitRef::from_bytes(&bytes, HASH).map_err(|_| broken(MALFORMED))?;
        let seconds = |time: &str| time.split(' ').next().and_then(|it| it.parse().ok());
        let author = commit.author().ok();
        let committer = commit.committer().ok();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Ok(ReadCommit {
            id,
            tree: commit.tree(),
            parents: commit.parents().collect(),
            author: author.as_ref().map(|it| text(it.name)).unwrap_or_default(),
            email: author.as_ref().map(|it| text(it.email)).unwrap_or_default(),
            written: author.and_then(|it| seconds(it.time)).unwrap_or_default(),
            committed: committer.and_then(|it| seconds(it.time)).unwrap_or_default(),
            message: text(commit.message),
        })
    }

    /// The commit that an id or a tag of it means. Nothing else may be asked for by its id: a file's
    /// contents have no name, and names say what is secret.
    pub(super) fn commit_of(&self, id: ObjectId) -> Result<Option<ReadCommit>, RepoRefusal> {
        let mut id = id;
        for _ in 0..MOST_TAGS {
            let (kind, bytes) = self.read(id)?;
            match kind {
                Kind::Commit => return self.commit(id).map(Some),
                Kind::Tag => {
                    let tag = TagRef::from_bytes(&bytes, HASH);
                    let broken = |_| RepoRefusal::Object { id: id.to_string(), why: MALFORMED };
                    id = tag.map_err(broken)?.target();
                }
                Kind::Tree | Kind::Blob => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The names in a tree, in Git's own order.
    pub(super) fn tree(&self, id: ObjectId) -> Result<Vec<(Vec<u8>, TreeItem)>, RepoRefusal> {
        if id.is_empty_tree() {
            return Ok(Vec::new());
        }
        let (kind, bytes) = self.read(id)?;
        let broken = |why| RepoRefusal::Object { id: id.to_string(), why };
        if kind != Kind::Tree {
            return Err(broken("it is no folder"));
        }
        let mut items = Vec::new();
        for entry in TreeRefIter::from_bytes(&bytes, HASH) {
            let entry = entry.map_err(|_| broken(MALFORMED))?;
            let name = entry.filename.to_vec();
            // Names that no file can have would mean something else once they stand in a path.
            if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
                return Err(broken(MALFORMED));
            }
            let mode = u32::from(entry.mode.value());
            items.push((name, TreeItem { mode, id: entry.oid.to_owned() }));
        }
        Ok(items)
    }

    /// What a path is in a tree.
    pub(super) fn at_path(
        &self,
        tree: ObjectId,
        path: &[u8],
    ) -> Result<Option<TreeItem>, RepoRefusal> {
        let mut here = TreeItem { mode: 0o040_000, id: tree };
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            if !here.is_folder() {
                return Ok(None);
            }
            let items = self.tree(here.id)?;
            match items.into_iter().find(|(known, _)| known == name) {
                Some((_, item)) => here = item,
                None => return Ok(None),
            }
        }
        Ok(Some(here))
    }

    /// The contents of a file.
    pub(super) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, RepoRefusal> {
        match self.read(id)? {
            (Kind::Blob, bytes) => Ok(bytes),
            _ => Err(RepoRefusal::Object { id: id.to_string(), why: "it is no file" }),
        }
    }

    /// The one object whose id begins so; an error where there are several.
    pub(super) fn by_prefix(&self, prefix: Prefix) -> Result<Option<ObjectId>, &'static str> {
        match self.store.lookup_prefix(prefix, None) {
            Ok(Some(Ok(id))) => Ok(Some(id)),
            Ok(Some(Err(()))) => Err("several objects begin so; give more of the id"),
            Ok(None) => Ok(None),
            Err(_) => Err("the objects cannot be read"),
        }
    }
}

pub(super) const TOO_LARGE: &str = "it is too large to be read";
const MISSING: &str = "it is not there: the repository is broken, or was cloned without it (a shallow or \
                       partial clone)";
const MALFORMED: &str = "it is malformed";
