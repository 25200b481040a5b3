//! A type's name says what it is without its module: no public one is defined in two crates, and few
//! of any kind are defined twice.

use anyhow::Result;

use crate::figures::shipped_by_crate;
use crate::figures::type_names::TypeNames;
use crate::{Finding, Repository};

/// At most one definition in so many shares its name with another.
const ONE_IN: usize = 10;

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let mut names = TypeNames::default();
    for (room, files) in &shipped_by_crate(repository)? {
        files.iter().for_each(|file| names.add(room, &file.code));
    }
    Ok(check_names(&names))
}

pub fn check_names(names: &TypeNames) -> Vec<Finding> {
    let twice = names.public_in_two_crates().into_iter();
    let twice = twice.map(|name| format!("`{name}` is public in two crates"));
    let (shared, all) = (names.shared(), names.count());
    let many = (shared * ONE_IN > all).then(|| {
        format!(
            "{shared} of {all} type definitions share their name with another; one in {ONE_IN} may"
        )
    });
    twice.chain(many).map(|message| Finding::new("crates", 0, message)).collect()
}
