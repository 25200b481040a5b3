//! What is wrong with arguments, in a sentence that a model can act on.
//!
//! Values and names are quoted in it, but for those that are secret by their name, their look or the
//! schema. Those that are secret since they were configured are masked later, by who knows them. So
//! what is quoted is quoted whole or not at all: of half a secret nobody can tell what it is. The
//! sentence is cut only where it repeats the schema.

use std::fmt::{self, Write};

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;
use toolgate_types::visible;

const LONGEST: usize = 300;
const BETWEEN: &str = "; ";

/// No clause has more words of its own before what it quotes.
const LONGEST_LEAD: usize = 45;

/// One sentence for all errors, each with the place it is about. `masked` are the arguments without
/// what is secret in them.
pub(super) fn sentence(errors: &[ValidationError<'_>], masked: &Value) -> String {
    let gaps = BETWEEN.len() * errors.len().saturating_sub(1);
    let each = (LONGEST - gaps) / errors.len().max(1);
    let parts: Vec<_> = errors.iter().map(|error| clause(error, masked, each)).collect();
    parts.join(BETWEEN)
}

fn clause(error: &ValidationError<'_>, masked: &Value, longest: usize) -> String {
    let path = error.instance_path();
    let place = match path.is_empty() {
        true => String::new(),
        // A place with a name that is too long is not told.
        false => whole(ArgumentPlace(path), longest / 3)
            .map_or_else(String::new, |at| format!("`{at}`: ")),
    };
    let is_open = masked.pointer(path.as_str()) == Some(error.instance().as_ref());
    let room = longest.saturating_sub(place.chars().count() + LONGEST_LEAD);
    let flaw = flaw(error, is_open, room);
    clipped(format_args!("{place}{flaw}"), longest)
}

/// What is wrong, with the value in question if that `is_open` and has room.
fn flaw(error: &ValidationError<'_>, is_open: bool, room: usize) -> String {
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            match whole(QuotedNames(unexpected), room) {
                Some(_) => clipped(error, LONGEST),
                None => "it has properties that are not allowed".to_owned(),
            }
        }
        Kind::PropertyNames { error } => match whole(error.instance(), room) {
            Some(_) => clipped(error, LONGEST),
            None => clipped(error.masked_with("the name of a property"), LONGEST),
        },
        // These quote after the schema, or more often than once.
        Kind::Not { .. } | Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
            clipped(error.masked_with("the value"), LONGEST)
        }
        _ if is_open && whole(error.instance(), room).is_some() => clipped(error, LONGEST),
        _ => clipped(error.masked_with("the value"), LONGEST),
    }
}

/// Something from the arguments with nothing hidden in it, if it has no more than so many characters.
fn whole(quoted: impl fmt::Display, longest: usize) -> Option<String> {
    let mut told = ClippedText { text: String::new(), room: longest };
    write!(told, "{quoted}").ok()?;
    Some(visible(&told.text)).filter(|shown| shown.chars().count() <= longest)
}

fn clipped(told: impl fmt::Display, longest: usize) -> String {
    let mut clipped = ClippedText { text: String::new(), room: longest };
    let is_whole = write!(clipped, "{told}").is_ok();
    // Making characters visible makes them more, so it is clipped once again.
    let shown = visible(&clipped.text);
    if is_whole && shown.chars().count() <= longest {
        return shown;
    }
    shown.chars().take(longest - 1).chain(['…']).collect()
}

/// Names as an error lists them.
struct QuotedNames<'a>(&'a [String]);

impl fmt::Display for QuotedNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|name| write!(f, "'{name}', "))
    }
}

/// `filter.names[2]`.
struct ArgumentPlace<'a>(&'a Location);

impl fmt::Display for ArgumentPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.segments().enumerate() {
            match segment {
                LocationSegment::Property(name) if index == 0 => write!(f, "{name}")?,
                LocationSegment::Property(name) => write!(f, ".{name}")?,
                LocationSegment::Index(at) => write!(f, "[{at}]")?,
            }
        }
        Ok(())
    }
}

/// Text that takes no more once it is full, so that a megabyte is not written out to be cut.
struct ClippedText {
    text: String,
    room: usize,
}

impl Write for ClippedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for c in more.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}
