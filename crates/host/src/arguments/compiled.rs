//! A schema within bounds, ready to check with.
//!
//! Formats are not checked: what is a valid `uri` or `email` is a matter of taste, and the server
//! has the last word. Patterns run on an engine that takes linear time.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_mask::Masker;

use super::bounds::SchemaSize;
use super::plain_schema::PlainSchema;
use super::sentence::sentence;

/// What one compiled regular expression may take. Linear time is so much for each byte, and the more
/// the larger the expression: a megabyte against one of a megabyte takes minutes.
const PATTERN_BYTES: usize = 32 * 1024;
const PATTERN_CACHE_BYTES: usize = 256 * 1024;

/// Arguments beyond any of these are not looked into.
const MOST_BYTES: usize = 1024 * 1024;
/// Values of the schema times values of the arguments.
const MOST_WORK: u64 = 50_000_000;
/// Patterns of the schema times bytes of the arguments.
const MOST_MATCHING: u64 = 64 * 1024;

/// Up to this work every flaw is looked for. There may be as many as that, and all would be kept.
const MOST_EXPLAINED: u64 = 250_000;

#[derive(Debug)]
pub(crate) struct CompiledSchema {
    validator: Validator,
    /// The same, where it says so little that no value need be made of arguments to look at them.
    plain: Option<PlainSchema>,
    size: SchemaSize,
    /// As it came: it says which values are not to be repeated.
    schema: Box<RawValue>,
}

impl CompiledSchema {
    /// `None` for what is out of bounds, and for what is no schema after all.
    pub(crate) fn new(raw: &RawValue) -> Option<Self> {
        let mut schema: Value = serde_json::from_str(raw.get()).ok()?;
        // Its own address is of no use where nothing may be referred to by address, and could be
        // that of a schema which the validator brings along.
        let members = schema.as_object_mut()?;
        for own_address in ["$id", "id"] {
            if members.get(own_address).is_some_and(Value::is_string) {
                members.shift_remove(own_address);
            }
        }
        let size = SchemaSize::of(&schema)?;
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_CACHE_BYTES);
        let options = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(patterns);
        let validator = options.build(&schema).ok()?;
        let plain = PlainSchema::of(&schema);
        Some(Self { validator, plain, size, schema: raw.to_owned() })
    }

    pub(super) fn check(&self, raw: &RawValue) -> Result<(), String> {
        let bytes = raw.get().len();
        let matching = self.size.patterns.saturating_mul(bytes as u64);
        if bytes > MOST_BYTES || matching > MOST_MATCHING {
            return Ok(());
        }
        if self.plain.as_ref().is_some_and(|plain| plain.surely_takes(raw)) {
            return Ok(());
        }
        // Nesting or numbers that cannot be held here can still be passed on.
        let Ok(arguments) = serde_json::from_str::<Value>(raw.get()) else { return Ok(()) };
        let work = self.size.values.saturating_mul(weight(&arguments));
        if work > MOST_WORK || self.validator.is_valid(&arguments) {
            return Ok(());
        }
        if work > MOST_EXPLAINED {
            return Err("the arguments do not fit the tool's schema".to_owned());
        }
        let first: Vec<_> = self.validator.iter_errors(&arguments).take(3).collect();
        let masked = Masker::default().mask_arguments(raw, Some(&self.schema));
        // What cannot be read is not quoted either.
        Err(sentence(&first, &serde_json::from_str(&masked).unwrap_or_default()))
    }

    /// Where a value does not fit, as far as that can be said within the bounds: a JSON pointer.
    pub(crate) fn misfit(&self, json: &str) -> Option<String> {
        let matching = self.size.patterns.saturating_mul(json.len() as u64);
        if json.len() > MOST_BYTES || matching > MOST_MATCHING {
            return None;
        }
        let value = serde_json::from_str::<Value>(json).ok()?;
        let work = self.size.values.saturating_mul(weight(&value));
        if work > MOST_WORK {
            return None;
        }
        let error = self.validator.validate(&value).err()?;
        Some(error.instance_path().to_string())
    }

    /// Whether a value that may be large fits, for somebody who must be sure: what is beyond the
    /// bounds does not.
    pub(crate) fn is_surely_met(&self, json: &str) -> bool {
        let matching = self.size.patterns.saturating_mul(json.len() as u64);
        let Some(value) =
            serde_json::from_str::<Value>(json).ok().filter(|_| matching <= MOST_MATCHING)
        else {
            return false;
        };
        let work = self.size.values.saturating_mul(weight(&value));
        work <= MOST_WORK && self.validator.is_valid(&value)
    }
}

/// The number of values; a long text counts as several.
fn weight(value: &Value) -> u64 {
    let text = |text: &str| 1 + text.len() as u64 / 256;
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(members) => {
            1 + members.iter().map(|(key, value)| text(key) + weight(value)).sum::<u64>()
        }
        _ => 1,
    }
}
