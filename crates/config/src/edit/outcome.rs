//! What an edit must come to: the old tree with one value set or gone, and nothing else different.
//!
//! It compares meanings; how the text is laid out is not its matter.

use std::collections::BTreeMap;

use crate::tree::{ConfigMember, ConfigNode, ConfigValue};

/// Whether `after` is `before` with `wanted` at `path`, or without `path`.
/// A table that only held other tables may come or go with its last entry.
pub(super) fn as_asked(
    mut before: ConfigNode,
    after: &ConfigNode,
    path: &[&str],
    wanted: Option<ConfigNode>,
) -> bool {
    let present = path.iter().try_fold(after, |node, key| node.get(key));
    let arrived = match (&wanted, present) {
        (Some(wanted), Some(present)) => equal(present, wanted),
        (wanted, present) => wanted.is_none() && present.is_none(),
    };
    put(&mut before, path, wanted);
    arrived && same(&before, after, true)
}

pub(super) fn equal(left: &ConfigNode, right: &ConfigNode) -> bool {
    same(left, right, false)
}

fn same(left: &ConfigNode, right: &ConfigNode, hollow_is_nothing: bool) -> bool {
    match (&left.value, &right.value) {
        (ConfigValue::Number(left), ConfigValue::Number(right)) => same_number(left, right),
        (ConfigValue::Array(left), ConfigValue::Array(right)) => {
            let mut pairs = left.iter().zip(right);
            left.len() == right.len() && pairs.all(|(left, right)| same(left, right, false))
        }
        (ConfigValue::Table(left), ConfigValue::Table(right)) => {
            let mut pairs: BTreeMap<&str, [Option<&ConfigNode>; 2]> = BTreeMap::new();
            for (side, members) in [left, right].into_iter().enumerate() {
                for member in members {
                    pairs.entry(&member.key).or_default()[side] = Some(&member.value);
                }
            }
            pairs.into_values().all(|pair| match pair {
                [Some(left), Some(right)] => same(left, right, hollow_is_nothing),
                [Some(alone), None] | [None, Some(alone)] => hollow_is_nothing && is_hollow(alone),
                [None, None] => true,
            })
        }
        (left, right) => left == right,
    }
}

/// One number has several spellings; whole ones are compared without loss.
fn same_number(left: &str, right: &str) -> bool {
    match (left.parse::<i128>(), right.parse::<i128>()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left.parse::<f64>().is_ok_and(|left| right.parse() == Ok(left)),
    }
}

/// A table with nothing in it but such tables.
fn is_hollow(node: &ConfigNode) -> bool {
    node.table().is_some_and(|members| members.iter().all(|member| is_hollow(&member.value)))
}

fn put(node: &mut ConfigNode, path: &[&str], wanted: Option<ConfigNode>) {
    let (ConfigValue::Table(members), [key, rest @ ..]) = (&mut node.value, path) else { return };
    let at = members.iter().position(|member| member.key == *key);
    match (at, rest.is_empty(), wanted) {
        (Some(at), true, None) => drop(members.remove(at)),
        (Some(at), true, Some(wanted)) => members[at].value = wanted,
        (Some(at), false, wanted) => put(&mut members[at].value, rest, wanted),
        (None, true, Some(wanted)) => members.push(member((*key).to_owned(), wanted)),
        (None, false, Some(wanted)) => {
            let mut parent = bare(ConfigValue::Table(Vec::new()));
            put(&mut parent, rest, Some(wanted));
            members.push(member((*key).to_owned(), parent));
        }
        (None, _, None) => {}
    }
}

/// The tree of a value that was never text.
pub(super) fn node_of(value: &serde_json::Value) -> ConfigNode {
    use serde_json::Value as Json;
    bare(match value {
        Json::Null => ConfigValue::Null,
        Json::Bool(value) => ConfigValue::Bool(*value),
        Json::Number(number) => ConfigValue::Number(number.to_string()),
        Json::String(text) => ConfigValue::String(text.clone()),
        Json::Array(items) => ConfigValue::Array(items.iter().map(node_of).collect()),
        Json::Object(map) => ConfigValue::Table(
            map.iter().map(|(key, value)| member(key.clone(), node_of(value))).collect(),
        ),
    })
}

fn bare(value: ConfigValue) -> ConfigNode {
    ConfigNode { value, span: 0..0 }
}

fn member(key: String, value: ConfigNode) -> ConfigMember {
    ConfigMember { key, key_span: 0..0, value }
}
