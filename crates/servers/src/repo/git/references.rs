//! References, read through the open `.git` folder: loose ones first, then the packed ones.

use gix_hash::ObjectId;

use super::super::RepoRefusal;
use super::git_folder::GitFolder;

const MOST_STEPS: usize = 8;
const LONGEST: usize = 1024;

/// Where a name leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefTarget {
    Object(ObjectId),
    /// To another name.
    Name(String),
}

/// What `HEAD` says.
#[derive(Debug, Clone)]
pub(crate) struct HeadState {
    /// `None` where it is detached.
    pub(super) branch: Option<String>,
    /// `None` before the first commit.
    pub(super) id: Option<ObjectId>,
}

impl GitFolder {
    pub(super) fn head(&self) -> Result<HeadState, RepoRefusal> {
        let broken = RepoRefusal::Repository("`HEAD` is malformed");
        match self.reference("HEAD")?.ok_or_else(|| broken.clone())? {
            RefTarget::Object(id) => Ok(HeadState { branch: None, id: Some(id) }),
            RefTarget::Name(name) => {
                let id = self.resolved(&name)?;
                let branch = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
                Ok(HeadState { branch: Some(branch), id })
            }
        }
    }

    /// The object that a full name leads to in the end.
    pub(super) fn resolved(&self, name: &str) -> Result<Option<ObjectId>, RepoRefusal> {
        let mut name = name.to_owned();
        for _ in 0..MOST_STEPS {
            match self.reference(&name)? {
                None => return Ok(None),
                Some(RefTarget::Object(id)) => return Ok(Some(id)),
                Some(RefTarget::Name(next)) => name = next,
            }
        }
        Ok(None)
    }

    fn reference(&self, name: &str) -> Result<Option<RefTarget>, RepoRefusal> {
        if !is_name(name) {
            return Ok(None);
        }
        let loose = self.read(name)?.as_deref().and_then(parse);
        match loose {
            Some(target) => Ok(Some(target)),
            None => Ok(self.packed(name)?.map(RefTarget::Object)),
        }
    }

    fn packed(&self, name: &str) -> Result<Option<ObjectId>, RepoRefusal> {
        let packed = self.read("packed-refs")?.unwrap_or_default();
        let mut lines = packed.split(|&byte| byte == b'\n');
        Ok(lines.find_map(|line| {
            let (id, known) = line.split_at_checked(40)?;
            let known = known.strip_prefix(b" ")?.trim_ascii_end();
            (known == name.as_bytes()).then(|| ObjectId::from_hex(id).ok()).flatten()
        }))
    }

    /// The commits whose parents were not cloned.
    pub(super) fn shallow(&self) -> Result<Vec<ObjectId>, RepoRefusal> {
        let bytes = self.read("shallow")?.unwrap_or_default();
        let lines = bytes.split(|&byte| byte == b'\n');
        Ok(lines.filter_map(|line| ObjectId::from_hex(line.trim_ascii()).ok()).collect())
    }
}

fn parse(bytes: &[u8]) -> Option<RefTarget> {
    let text = std::str::from_utf8(bytes.get(..bytes.len().min(LONGEST))?).ok()?.trim_end();
    if let Some(name) = text.strip_prefix("ref:") {
        return Some(RefTarget::Name(name.trim().to_owned()));
    }
    let id = text.get(..40)?;
    ObjectId::from_hex(id.as_bytes()).ok().map(RefTarget::Object)
}

/// Whether Git would take it for the name of a reference. Everything else in `.git` is no name: other
/// files there hold no ids, and none of them is anybody's to ask for.
pub(super) fn is_name(name: &str) -> bool {
    let is_special = name.ends_with("HEAD")
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    if is_special {
        return true;
    }
    let is_odd = |mark: char| mark.is_control() || " ~^:?*[\\".contains(mark);
    name.len() <= LONGEST
        && name.starts_with("refs/")
        && !name.contains(is_odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
}
