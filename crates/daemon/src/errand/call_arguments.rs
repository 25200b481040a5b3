//! The arguments of a call as a person types them: `key=value` pairs and one JSON object.
//!
//! What is given as JSON stays the bytes that were written, member by member; whether it all fits
//! the tool is for the host to check.

mod object;
mod typed;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_control::{CommandFailure, Verbatim};
use toolgate_types::{reject_repeated_keys, visible};

use object::{join, members};

/// What was typed, read but not yet typed by a schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallArguments {
    pairs: Vec<(String, String)>,
    object: Option<Verbatim>,
}

impl CallArguments {
    /// As they were typed; where the object is written, `read` tells its text. Nothing is started for
    /// what is wrong here.
    pub fn of(
        pairs: &[String],
        object: Option<&str>,
        read: impl Fn(&str) -> Result<String, CommandFailure>,
    ) -> Result<Self, CommandFailure> {
        let pairs = split(pairs)?;
        let object = object.map(|given| object_of(&read(given)?)).transpose()?;
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
    pub fn want_a_schema(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// The object that is sent. Without any argument it is an empty one: servers that want an object
    /// seldom forgive nothing.
    pub fn object(&self, schema: Option<&RawValue>) -> Result<Box<RawValue>, CommandFailure> {
        let given = match &self.object {
            Some(object) if self.pairs.is_empty() => return Ok(object.0.clone()),
            Some(object) => members(object)?,
            None => Vec::new(),
        };
        let given = given.into_iter().map(|(key, value)| (key, value.get().to_owned()));
        let types = typed::ArgumentTypes::of(schema);
        let typed = self.pairs.iter().map(|(key, value)| {
            let value = types.value(key, value)?;
            Ok((key.clone(), value))
        });
        join(given.map(Ok).chain(typed).collect::<Result<Vec<_>, CommandFailure>>()?)
    }
}

/// Pairs whose values are all text, as an object; nothing where there are none.
pub fn text_arguments(pairs: &[String]) -> Result<Option<Box<RawValue>>, CommandFailure> {
    let pairs = split(pairs)?;
    if pairs.is_empty() {
        return Ok(None);
    }
    let texts = pairs.into_iter().map(|(key, value)| (key, object::text(&value)));
    join(texts.collect()).map(Some)
}

fn split(pairs: &[String]) -> Result<Vec<(String, String)>, CommandFailure> {
    let mut split: Vec<(String, String)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        // The value may be a secret and is not repeated.
        let (key, value) =
            pair.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
                CommandFailure::usage("an argument is KEY=VALUE; one has no key or no `=`")
            })?;
        if split.iter().any(|(known, _)| known == key) {
            return Err(twice(key));
        }
        split.push((key.to_owned(), value.to_owned()));
    }
    Ok(split)
}

fn twice(key: &str) -> CommandFailure {
    CommandFailure::usage(format!("the argument `{}` is given twice", visible(key)))
}

fn object_of(text: &str) -> Result<Box<RawValue>, CommandFailure> {
    let wrong = |error: serde_json::Error| {
        let why = visible(&error.to_string());
        CommandFailure::usage(format!("--args is not a JSON object: {why}"))
    };
    reject_repeated_keys(text).map_err(wrong)?;
    serde_json::from_str(text).map_err(wrong)
}

#[cfg(test)]
mod tests;
