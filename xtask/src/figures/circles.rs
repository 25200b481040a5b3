//! Modules of one crate that import each other in a circle.

use std::collections::BTreeSet;

use super::module_tree::{ModulePath, ModuleTree};

/// Each circle with all who are in it, as files; none where everything has an order.
pub fn circles_of(tree: &ModuleTree) -> Vec<Vec<String>> {
    let mut left: BTreeSet<&ModulePath> = tree.uses.keys().collect();
    let mut circles = Vec::new();
    while let Some(module) = left.pop_first() {
        let reached = reached_from(tree, module);
        let is_mutual = |other: &&ModulePath| {
            reached.contains(*other) && reached_from(tree, other).contains(module)
        };
        let others: Vec<&ModulePath> = left.iter().copied().filter(is_mutual).collect();
        if others.is_empty() {
            continue;
        }
        others.iter().for_each(|other| _ = left.remove(other));
        let all = std::iter::once(module).chain(others);
        circles.push(all.filter_map(|module| tree.files.get(module).cloned()).collect());
    }
    circles
}

fn reached_from<'t>(tree: &'t ModuleTree, module: &ModulePath) -> BTreeSet<&'t ModulePath> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&ModulePath> = tree.uses.get(module).into_iter().flatten().collect();
    while let Some(one) = next.pop() {
        if reached.insert(one) {
            next.extend(tree.uses.get(one).into_iter().flatten());
        }
    }
    reached
}
