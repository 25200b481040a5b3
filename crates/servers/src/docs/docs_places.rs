//! The folders that are indexed: the workspace, and those that an entry names besides.

use std::path::PathBuf;
use std::sync::Arc;

use crate::repo::folder::{OpenedEntry, ServedFolder};
use crate::repo::{PrivatePlaces, RepoRefusal};

/// A folder that an entry names: its pages are there too, and have paths that begin as it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FurtherFolder {
    /// In the workspace, as `target/doc`; what ignores it there does not count.
    Within(String),
    /// Anywhere.
    Elsewhere { label: String, path: PathBuf },
}

/// One of them.
#[derive(Debug)]
pub(super) struct DocsPlace {
    /// How its pages' paths begin; nothing for the workspace.
    pub(super) label: String,
    pub(super) folder: Arc<ServedFolder>,
    /// The way from there to where the pages are.
    start: String,
}

/// All of them, the workspace first.
#[derive(Debug)]
pub(super) struct DocsPlaces(Vec<DocsPlace>);

impl DocsPlaces {
    pub(super) fn new(root: PathBuf, further: Vec<FurtherFolder>, private: &PrivatePlaces) -> Self {
        let workspace = Arc::new(ServedFolder::new(root, private.clone()));
        let mut places = vec![DocsPlace {
            label: String::new(),
            folder: Arc::clone(&workspace),
            start: String::new(),
        }];
        for folder in further {
            let (label, folder, start) = match folder {
                // By the workspace's own way, so no link in it leads out, whenever it is made.
                FurtherFolder::Within(start) => (start.clone(), Arc::clone(&workspace), start),
                FurtherFolder::Elsewhere { label, path } => {
                    (label, Arc::new(ServedFolder::new(path, private.clone())), String::new())
                }
            };
            let label = label.trim_start_matches("./").trim_end_matches('/').to_owned();
            places.push(DocsPlace { label, folder, start });
        }
        Self(places)
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &DocsPlace)> {
        self.0.iter().enumerate()
    }

    /// The place that a page belongs to by its path. Of one folder inside another it is the inner one.
    pub(super) fn place_of(&self, page: &str) -> usize {
        let holds = |place: &DocsPlace| place.inside(page).is_some();
        let further = self.each().skip(1).filter(|(_, place)| holds(place));
        further.max_by_key(|(_, place)| place.label.len()).map_or(0, |(index, _)| index)
    }

    /// What lies at a page's path, with that path as it really is.
    pub(super) fn find(&self, page: &str) -> Result<(String, OpenedEntry), RepoRefusal> {
        let place = &self.0[self.place_of(page)];
        let found = match place.is_elsewhere() {
            true => place.folder.find(place.inside(page).unwrap_or(page))?,
            false => place.folder.find(page)?,
        };
        let path = place.page_path(&found.path().to_string_lossy());
        Ok((path, found))
    }
}

impl DocsPlace {
    /// Its folder, open.
    pub(super) fn open(&self) -> Result<OpenedEntry, RepoRefusal> {
        self.folder.find(&self.start)
    }

    /// The path of a page, from its path in the folder that is served.
    pub(super) fn page_path(&self, served: &str) -> String {
        match self.is_elsewhere() {
            true => format!("{}/{served}", self.label),
            false => served.to_owned(),
        }
    }

    /// The rest of a page's path, if it is one of these.
    pub(super) fn inside<'p>(&self, page: &'p str) -> Option<&'p str> {
        match self.label.is_empty() {
            true => Some(page),
            false => page.strip_prefix(&self.label)?.strip_prefix('/'),
        }
    }

    fn is_elsewhere(&self) -> bool {
        self.start.is_empty() && !self.label.is_empty()
    }
}
