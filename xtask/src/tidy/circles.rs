//! No two modules of a crate import each other, be it over others: what both need stands in a file
//! of its own. A parent with its own children is no circle.

use anyhow::Result;

use crate::figures::circles::circles_of;
use crate::figures::module_tree::ModuleTree;
use crate::figures::shipped_by_crate;
use crate::{Finding, Repository};

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let crates = shipped_by_crate(repository)?;
    let circles = crates.iter().flat_map(|(_, files)| circles_of(&ModuleTree::of(files)));
    Ok(circles.filter_map(|circle| finding(&circle)).collect())
}

fn finding(circle: &[String]) -> Option<Finding> {
    let (first, others) = circle.split_first()?;
    let message = format!("imports these in a circle: {}", others.join(", "));
    Some(Finding::new(first, 0, message))
}
