//! A revision as somebody writes it: `HEAD`, a branch, a tag, an id or the beginning of one, each with
//! `~2` or `^2` behind it.

use gix_hash::{ObjectId, Prefix};

use super::super::RepoRefusal;
use super::GitRepository;
use super::git_objects::ReadCommit;

const LONGEST: usize = 300;
const MOST_STEPS: usize = 100_000;

impl GitRepository<'_> {
    pub(super) fn commit_at(&self, revision: &str) -> Result<ReadCommit, RepoRefusal> {
        let refuse = |why| RepoRefusal::Revision { revision: shorten(revision), why };
        if revision.len() > LONGEST || revision.contains(char::is_control) {
            return Err(refuse("it is no name of a commit"));
        }
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (base, steps) = revision.split_at(end);
        let id = self.object_named(base).map_err(|error| match error {
            NamedObject::Refused(refusal) => refusal,
            NamedObject::Unknown(why) => refuse(why),
        })?;
        let commit = self.objects.commit_of(id)?;
        let mut commit = commit.ok_or_else(|| refuse("it is no commit"))?;
        for step in
            parse_steps(steps).ok_or_else(|| refuse("what follows the name is not understood"))?
        {
            let (times, which) = match step {
                RevisionStep::Back(times) => (times, 1),
                RevisionStep::Parent(0) => continue,
                RevisionStep::Parent(which) => (1, which),
            };
            for _ in 0..times {
                let parent = self.parents(&commit)?.get(which - 1).copied();
                let parent = parent.ok_or_else(|| refuse("it has no such parent"))?;
                commit = self.objects.commit(parent)?;
            }
        }
        Ok(commit)
    }

    /// The commit that `HEAD` is at.
    pub(super) fn head_commit(&self) -> Result<Option<ReadCommit>, RepoRefusal> {
        match self.folder.head()?.id {
            Some(id) => self.objects.commit(id).map(Some),
            None => Ok(None),
        }
    }

    /// The parents that are there: a shallow clone ends where it was cut.
    pub(super) fn parents(&self, commit: &ReadCommit) -> Result<Vec<ObjectId>, RepoRefusal> {
        match self.folder.shallow()?.contains(&commit.id) {
            true => Ok(Vec::new()),
            false => Ok(commit.parents.clone()),
        }
    }

    fn object_named(&self, name: &str) -> Result<ObjectId, NamedObject> {
        let name = if matches!(name, "" | "@") { "HEAD" } else { name };
        if name == "HEAD" {
            let id = self.folder.head().map_err(NamedObject::Refused)?.id;
            return id.ok_or(NamedObject::Unknown("there is no commit yet"));
        }
        if name.len() == 40
            && let Ok(id) = ObjectId::from_hex(name.as_bytes())
        {
            return Ok(id);
        }
        let full = [
            name.to_owned(),
            format!("refs/tags/{name}"),
            format!("refs/heads/{name}"),
            format!("refs/remotes/{name}"),
            format!("refs/remotes/{name}/HEAD"),
        ];
        for name in full {
            if let Some(id) = self.folder.resolved(&name).map_err(NamedObject::Refused)? {
                return Ok(id);
            }
        }
        if let Ok(prefix) = Prefix::from_hex(name)
            && let Some(id) = self.objects.by_prefix(prefix).map_err(NamedObject::Unknown)?
        {
            return Ok(id);
        }
        Err(NamedObject::Unknown("no branch, tag or commit is called so"))
    }
}

/// Why a name leads to no object.
enum NamedObject {
    Unknown(&'static str),
    Refused(RepoRefusal),
}

#[derive(Debug, PartialEq, Eq)]
enum RevisionStep {
    Back(usize),
    Parent(usize),
}

fn parse_steps(text: &str) -> Option<Vec<RevisionStep>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(mark) = rest.chars().next() {
        rest = &rest[1..];
        if mark == '^' && rest.starts_with('{') {
            // The object itself, or the commit behind a tag: that is what is looked for anyway.
            rest = rest.strip_prefix("{commit}").or_else(|| rest.strip_prefix("{}"))?;
            continue;
        }
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(length);
        let count = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        rest = after;
        match mark {
            '~' if count <= MOST_STEPS => steps.push(RevisionStep::Back(count)),
            '^' => steps.push(RevisionStep::Parent(count)),
            _ => return None,
        }
    }
    Some(steps)
}

fn shorten(revision: &str) -> String {
    revision.chars().filter(|mark| !mark.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests;
