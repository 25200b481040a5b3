//! The arguments of a call as a person types them: `key=value` pairs and one JSON object.
//!
//! What is given as JSON stays the bytes that were written, member by member; whether it all fits
//! the tool is for the host to check.

mod object;
mod typed;

use std::io::Read as _;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::Verbatim;
use toolgate_types::visible;

use crate::failure::Failure;
use crate::surroundings::Surroundings;
use object::{join, members, reject_repeated_keys};

/// What was typed, read but not yet typed by a schema.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Arguments {
    pairs: Vec<(String, String)>,
    object: Option<Verbatim>,
}

impl Arguments {
    /// From the command line. Nothing is started for what is wrong here.
    pub(crate) fn read(
        pairs: &[String],
        object: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, Failure> {
        let pairs = split(pairs)?;
        let object = object.map(|given| read_object(given, surroundings)).transpose()?;
        if let Some(object) = &object {
            for (key, _) in members(object)? {
                if pairs.iter().any(|(name, _)| *name == key) {
                    return Err(twice(&key));
                }
            }
        }
        Ok(Self { pairs, object: object.map(Verbatim) })
    }

    /// Whether a schema would make a difference.
    pub(crate) fn want_a_schema(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// The object that is sent. Without any argument it is an empty one: servers that want an object
    /// seldom forgive nothing.
    pub(crate) fn object(&self, schema: Option<&RawValue>) -> Result<Box<RawValue>, Failure> {
        let given = match &self.object {
            Some(object) if self.pairs.is_empty() => return Ok(object.0.clone()),
            Some(object) => members(object)?,
            None => Vec::new(),
        };
        let given = given.into_iter().map(|(key, value)| (key, value.get().to_owned()));
        let types = typed::Types::of(schema);
        let typed = self.pairs.iter().map(|(key, value)| {
            let value = types.value(key, value)?;
            Ok((key.clone(), value))
        });
        join(given.map(Ok).chain(typed).collect::<Result<Vec<_>, Failure>>()?)
    }
}

/// Pairs whose values are all text, as an object; nothing where there are none.
pub(crate) fn texts(pairs: &[String]) -> Result<Option<Box<RawValue>>, Failure> {
    let pairs = split(pairs)?;
    if pairs.is_empty() {
        return Ok(None);
    }
    let texts = pairs.into_iter().map(|(key, value)| (key, object::text(&value)));
    join(texts.collect()).map(Some)
}

fn split(pairs: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let mut split: Vec<(String, String)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        // The value may be a secret and is not repeated.
        let (key, value) = pair
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| Failure::usage("an argument is KEY=VALUE; one has no key or no `=`"))?;
        if split.iter().any(|(known, _)| known == key) {
            return Err(twice(key));
        }
        split.push((key.to_owned(), value.to_owned()));
    }
    Ok(split)
}

fn twice(key: &str) -> Failure {
    Failure::usage(format!("the argument `{}` is given twice", visible(key)))
}

/// An object that stands on the command line, in a file or on standard input.
fn read_object(given: &str, surroundings: &Surroundings) -> Result<Box<RawValue>, Failure> {
    let unread = |what: &str, error: std::io::Error| {
        Failure::usage(format!("--args: cannot read {}: {error}", visible(what)))
    };
    let text = match (given, given.strip_prefix('@')) {
        ("-", _) => {
            let mut text = String::new();
            let read = std::io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| unread("standard input", error))?;
            text
        }
        (_, Some(path)) => std::fs::read_to_string(surroundings.cwd.join(path))
            .map_err(|error| unread(path, error))?,
        (inline, None) => inline.to_owned(),
    };
    let wrong = |error: serde_json::Error| {
        Failure::usage(format!("--args is not a JSON object: {}", visible(&error.to_string())))
    };
    reject_repeated_keys(&text).map_err(wrong)?;
    serde_json::from_str(&text).map_err(wrong)
}

#[cfg(test)]
mod tests;
