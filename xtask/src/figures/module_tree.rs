//! The modules of a crate, one for each file, and which of them name which others.
//!
//! A name that a module hands on from its child (`pub use child::Name`) counts as the child's, so
//! that nothing hides behind the root of a crate.

use std::collections::{BTreeMap, BTreeSet};

use super::ShippedFile;
use crate::source::named;

/// A module's path below its crate; the root has none.
pub type ModulePath = Vec<String>;

#[derive(Debug, Default)]
pub struct ModuleTree {
    /// By module, its file and the modules it names. An ancestor or descendant is not named: a parent
    /// and its own children are one thing.
    pub uses: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    pub files: BTreeMap<ModulePath, String>,
}

impl ModuleTree {
    pub fn of(files: &[ShippedFile]) -> Self {
        let mut tree = Self::default();
        let mut paths: BTreeMap<ModulePath, BTreeSet<Vec<String>>> = BTreeMap::new();
        for file in files {
            let Some(module) = module_of(&file.path) else { continue };
            tree.files.insert(module.clone(), file.path.clone());
            let names = named(&file.code).into_iter();
            let parts = names.map(|name| name.full.split("::").map(str::to_owned).collect());
            paths.entry(module).or_default().extend(parts);
        }
        let handed_on = tree.handed_on(&paths);
        for (module, names) in &paths {
            let absolute = names.iter().filter_map(|parts| tree.absolute(module, parts));
            let targets = absolute.map(|path| tree.owner(&path, &handed_on));
            let others = targets.filter(|target| !is_related(module, target)).collect();
            tree.uses.insert(module.clone(), others);
        }
        tree
    }

    /// What each module has from another of its crate, by the path it is known by.
    fn handed_on(
        &self,
        paths: &BTreeMap<ModulePath, BTreeSet<Vec<String>>>,
    ) -> BTreeMap<Vec<String>, Vec<String>> {
        let mut handed_on = BTreeMap::new();
        for (module, names) in paths {
            for parts in names {
                let (Some(path), Some(last)) = (self.absolute(module, parts), parts.last()) else {
                    continue;
                };
                let known = [module.as_slice(), std::slice::from_ref(last)].concat();
                if known != path && !self.files.contains_key(&known) {
                    handed_on.insert(known, path);
                }
            }
        }
        handed_on
    }

    /// A path from the root of the crate, if it is one of this crate.
    fn absolute(&self, module: &[String], parts: &[String]) -> Option<Vec<String>> {
        let (first, rest) = parts.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(parent, rest),
                    _ => Some([parent, rest].concat()),
                }
            }
            _ => {
                let child = [module, std::slice::from_ref(first)].concat();
                let is_child = self.files.contains_key(&child);
                is_child.then(|| [module, parts].concat())
            }
        }
    }

    /// The module that a path is in, wherever it was handed on from.
    fn owner(&self, path: &[String], handed_on: &BTreeMap<Vec<String>, Vec<String>>) -> ModulePath {
        let mut path = path.to_vec();
        // Handed on from hand to hand, but not for ever.
        for _ in 0..8 {
            let prefixes = (1..=path.len()).rev();
            let found = prefixes.filter_map(|end| Some((end, handed_on.get(&path[..end])?))).next();
            match found {
                Some((end, target)) => path = [target.as_slice(), &path[end..]].concat(),
                None => break,
            }
        }
        while !path.is_empty() && !self.files.contains_key(&path) {
            path.pop();
        }
        path
    }
}

/// `crates/x/src/a/b.rs` is `a::b`.
fn module_of(file: &str) -> Option<ModulePath> {
    let (_, path) = file.split_once("/src/")?;
    let path = path.strip_suffix(".rs")?;
    let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    match parts.as_slice() {
        [root] if root == "lib" || root == "main" => Some(Vec::new()),
        [folder @ .., last] if last == "mod" => Some(folder.to_vec()),
        _ => Some(parts),
    }
}

fn is_related(one: &[String], other: &[String]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
