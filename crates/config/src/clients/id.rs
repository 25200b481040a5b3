//! Names of other clients' servers made into ids of ours.
//!
//! Names that are ids already keep them; the others get the nearest one that is free.

use std::collections::BTreeSet;

use toolgate_types::ServerId;

const LONGEST: usize = 64;

/// One id for each name, in order. Ids that differ only in case count as the same.
pub(super) fn assign(names: &[&str]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut ids: Vec<Option<String>> = names
        .iter()
        .map(|name| {
            let free = ServerId::parse(name).is_ok() && taken.insert(name.to_ascii_lowercase());
            free.then(|| (*name).to_owned())
        })
        .collect();
    for (id, name) in ids.iter_mut().zip(names) {
        if id.is_none() {
            *id = Some(free_id(&nearest(name), &mut taken));
        }
    }
    ids.into_iter().flatten().collect()
}

/// The name with what an id cannot hold replaced; never empty, never reserved.
fn nearest(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    id.truncate(LONGEST);
    let id = id.trim_end_matches('-');
    match id {
        "" => "server".to_owned(),
        _ if ServerId::parse(id).is_err() => format!("{id}-server"),
        _ => id.to_owned(),
    }
}

fn free_id(base: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id = base.to_owned();
    let mut count = 1_usize;
    while !taken.insert(id.to_ascii_lowercase()) {
        count += 1;
        let suffix = format!("-{count}");
        let kept = base.len().min(LONGEST - suffix.len());
        id = format!("{}{suffix}", &base[..kept]);
    }
    id
}

#[cfg(test)]
mod tests;
