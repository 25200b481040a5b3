//! What a confined process will see, collected by place: later words on a place overrule earlier ones,
//! and what lies higher is built first.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

use toolgate_types::config::ResourceLimits;

use super::{OuterStage, RootStep, text_of};
use crate::WallError;

/// Folders for what nobody keeps, which every machine has for everybody.
pub(super) const SHARED_SCRATCH: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// What stands at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SeenPlace {
    /// The machine's own, from there.
    Real {
        source: PathBuf,
        is_writable: bool,
    },
    /// The machine's own from there, with what is changed of it kept elsewhere.
    Overlay {
        lower: PathBuf,
        upper: PathBuf,
        work: PathBuf,
    },
    Scratch,
    Empty,
    Blank,
    /// A file with these words.
    Text(&'static CStr),
    Link(PathBuf),
}

/// The places of a new root. Paths compare by component, so a folder stands before what is in it.
#[derive(Debug, Default)]
pub(crate) struct RootView {
    places: BTreeMap<PathBuf, SeenPlace>,
}

impl RootView {
    pub(super) fn put(&mut self, at: impl Into<PathBuf>, what: SeenPlace) {
        self.places.insert(at.into(), what);
    }

    /// Shows a place as it is, if it is there; its links are followed and shown as links.
    pub(super) fn show_if_there(&mut self, at: &Path) {
        match at.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                if let Ok(to) = at.read_link() {
                    self.put(at, SeenPlace::Link(to));
                }
            }
            Ok(_) => self.show(at, false),
            Err(_) => {}
        }
    }

    pub(super) fn show(&mut self, real: &Path, is_writable: bool) {
        self.put(real, SeenPlace::Real { source: real.to_owned(), is_writable });
    }

    /// Takes back the links below a folder that is shown whole.
    pub(super) fn forget_links_below(&mut self, folder: &Path) {
        let is_link = |what: &SeenPlace| matches!(what, SeenPlace::Link(_));
        self.places.retain(|at, what| !(is_link(what) && at.starts_with(folder)));
    }

    /// Whether something of the machine is seen there.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        let seen = self.nearest(path);
        matches!(
            seen,
            Some(SeenPlace::Real { .. } | SeenPlace::Overlay { .. } | SeenPlace::Scratch)
        )
    }

    /// Whether what the machine has there is seen there.
    pub(super) fn shows_real(&self, path: &Path) -> bool {
        matches!(self.nearest(path), Some(SeenPlace::Real { .. }))
    }

    /// What a path is part of.
    pub(super) fn nearest(&self, path: &Path) -> Option<&SeenPlace> {
        path.ancestors().find_map(|above| self.places.get(above))
    }

    /// Where the process may write, as it sees it. Where it has no root of its own it sees the machine's,
    /// and of the folders that would be empty only those are its to write that are everybody's.
    pub(super) fn writable(&self, outer: OuterStage) -> Vec<CString> {
        let place = |(at, what): (&PathBuf, &SeenPlace)| match (what, outer) {
            (
                SeenPlace::Real { is_writable: true, .. }
                | SeenPlace::Scratch
                | SeenPlace::Overlay { .. },
                own,
            ) if own.has_own_tree() => text_of(at).ok(),
            (SeenPlace::Real { is_writable: true, source }, _) => text_of(source).ok(),
            (SeenPlace::Scratch, _) => SHARED_SCRATCH
                .iter()
                .any(|shared| at == Path::new(shared))
                .then(|| text_of(at).ok())?,
            _ => None,
        };
        self.places.iter().filter_map(place).collect()
    }

    pub(super) fn into_steps(self, limits: &ResourceLimits) -> Result<Vec<RootStep>, WallError> {
        self.places
            .into_iter()
            .map(|(place, what)| {
                let at = text_of(&place)?;
                Ok(match what {
                    SeenPlace::Real { source, is_writable } => RootStep::Show {
                        is_folder: source.is_dir(),
                        source: text_of(&source)?,
                        at,
                        is_writable,
                    },
                    SeenPlace::Overlay { lower, upper, work } => RootStep::Overlay {
                        at,
                        lower: text_of(&lower)?,
                        upper: text_of(&upper)?,
                        work: text_of(&work)?,
                    },
                    SeenPlace::Scratch => RootStep::Scratch { at, bytes: limits.scratch_bytes },
                    SeenPlace::Empty => RootStep::Empty { at },
                    SeenPlace::Blank => RootStep::Blank { at },
                    SeenPlace::Text(text) => RootStep::Text { at, text: text.to_owned() },
                    SeenPlace::Link(to) => RootStep::Link { at, to: text_of(&to)? },
                })
            })
            .collect()
    }
}
