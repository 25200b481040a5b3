//! `x-mcp-header` in a tool's input schema: which arguments are mirrored into which headers.
//!
//! Over HTTP a client must leave out a tool whose annotations break the rules, so reading them ends
//! in proof or in a reason. The schema is otherwise not judged, and `$ref` is not followed.

use serde_json::value::RawValue;
use thiserror::Error;

use super::PARAM_PREFIX;
use crate::json::JsonError;
use crate::object::text_of;

pub(super) const ANNOTATION: &str = "x-mcp-header";

/// An annotation and the `type` of the schema it stands in.
pub(super) struct FoundAnnotation<'a> {
    pub(super) annotation: &'a RawValue,
    pub(super) kind: Option<&'a RawValue>,
}

/// The arguments of a tool that are mirrored into headers; for most tools none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParamHeaders {
    pub(super) headers: Vec<ParamHeader>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParamHeader {
    /// The whole name, with its prefix.
    pub(super) name: String,
    /// The keys that lead to the argument.
    pub(super) path: Vec<String>,
}

/// Why a tool must be left out over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AnnotationError {
    #[error("the input schema: {0}")]
    Schema(#[from] JsonError),
    #[error("`x-mcp-header` is not a string")]
    NotText,
    #[error("`x-mcp-header` is empty")]
    Empty,
    #[error("`x-mcp-header` is not the name of a header: `{name}`")]
    NotAToken { name: String },
    #[error("`x-mcp-header` `{name}` is given to two parameters")]
    Repeated { name: String },
    #[error("`x-mcp-header` `{name}` is on a parameter that is no string, integer or boolean")]
    NotPrimitive { name: String },
    #[error(
        "`x-mcp-header` `{name}` is not on a property that the arguments always have in one place"
    )]
    NotReachable { name: String },
}

impl ParamHeaders {
    pub const NONE: Self = Self { headers: Vec::new() };

    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    pub(super) fn add(
        &mut self,
        found: FoundAnnotation<'_>,
        path: Option<&[String]>,
    ) -> Result<(), AnnotationError> {
        let name = text_of(found.annotation).ok_or(AnnotationError::NotText)?.into_owned();
        if name.is_empty() {
            return Err(AnnotationError::Empty);
        }
        if !name.bytes().all(is_token_byte) {
            return Err(AnnotationError::NotAToken { name });
        }
        let Some(path @ [_, ..]) = path else { return Err(AnnotationError::NotReachable { name }) };
        if !found.kind.is_some_and(is_primitive) {
            return Err(AnnotationError::NotPrimitive { name });
        }
        let full = format!("{PARAM_PREFIX}{name}");
        if self.headers.iter().any(|header| header.name.eq_ignore_ascii_case(&full)) {
            return Err(AnnotationError::Repeated { name });
        }
        self.headers.push(ParamHeader { name: full, path: path.to_vec() });
        Ok(())
    }
}

/// A string, integer or boolean, also where `null` may stand for leaving it out.
fn is_primitive(kind: &RawValue) -> bool {
    let is_one = |name: &str| matches!(name, "string" | "integer" | "boolean");
    if let Some(name) = text_of(kind) {
        return is_one(&name);
    }
    let names: Vec<String> = serde_json::from_str(kind.get()).unwrap_or_default();
    names.iter().any(|name| is_one(name)) && names.iter().all(|name| is_one(name) || name == "null")
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
