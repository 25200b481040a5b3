//! What is wrong with arguments, in a sentence that a model can act on.
//!
//! Values are quoted in it, and may be of any length; the sentence is not.

use std::fmt::{self, Write};

use jsonschema::ValidationError;
use jsonschema::paths::{Location, LocationSegment};
use toolgate_types::visible;

const LONGEST: usize = 300;
const BETWEEN: &str = "; ";

/// One sentence for all errors, each with the place it is about.
pub(super) fn sentence(errors: &[ValidationError<'_>]) -> String {
    let gaps = BETWEEN.len() * errors.len().saturating_sub(1);
    let each = (LONGEST - gaps) / errors.len().max(1);
    let parts: Vec<_> = errors.iter().map(|error| clause(error, each)).collect();
    parts.join(BETWEEN)
}

fn clause(error: &ValidationError<'_>, longest: usize) -> String {
    let mut told = Clipped { text: String::new(), room: longest };
    let place = error.instance_path();
    let written = if place.is_empty() {
        write!(told, "{error}")
    } else {
        write!(told, "`{}`: {error}", Place(place))
    };
    let whole = written.is_ok();
    // Making characters visible makes them more, so it is clipped once again.
    let shown = visible(&told.text);
    if whole && shown.chars().count() <= longest {
        return shown;
    }
    shown.chars().take(longest - 1).chain(['…']).collect()
}

/// `filter.names[2]`.
struct Place<'a>(&'a Location);

impl fmt::Display for Place<'_> {
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
struct Clipped {
    text: String,
    room: usize,
}

impl Write for Clipped {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        for c in more.chars() {
            self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(c);
        }
        Ok(())
    }
}
