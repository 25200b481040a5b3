//! Where in a definition something stands, and how grave a change there is.

use serde_json::value::RawValue;
use toolgate_types::Severity;

/// What the members of an object, or a value itself, are to the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DriftPlace {
    /// The definition.
    Definition,
    /// The server's word on what the tool does to the world.
    Annotation,
    /// A JSON schema.
    Schema,
    /// An object whose keys are names and whose values are schemas.
    Named,
    /// Words for a person or a model, which change nothing of what is taken.
    Text,
    Examples,
    /// Anything else, in which no key means anything to us.
    Other,
}

impl DriftPlace {
    /// The place of a member.
    pub(super) fn member(self, key: &str) -> Self {
        match (self, key) {
            (Self::Definition, "inputSchema" | "outputSchema") => Self::Schema,
            (Self::Definition, "annotations") => Self::Annotation,
            (Self::Definition | Self::Schema, "description" | "title") => Self::Text,
            (Self::Schema, "examples") => Self::Examples,
            (
                Self::Schema,
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
            ) => Self::Named,
            // Values of arguments, not schemas: a `title` in one is part of what is meant.
            (Self::Schema, "default" | "const" | "enum") => Self::Other,
            (Self::Named, _) => Self::Schema,
            (Self::Definition, _) => Self::Other,
            (same, _) => same,
        }
    }

    /// How grave it is when this changes as a whole.
    pub(super) fn severity(self, before: Option<&RawValue>, after: Option<&RawValue>) -> Severity {
        let is_text = |side: Option<&RawValue>| side.is_none_or(|raw| raw.get().starts_with('"'));
        match self {
            // A definition that cannot be taken apart may say anything.
            Self::Annotation | Self::Definition => Severity::Danger,
            Self::Examples => Severity::Wording,
            Self::Text if is_text(before) && is_text(after) => Severity::Wording,
            Self::Text | Self::Schema | Self::Named | Self::Other => Severity::Interface,
        }
    }
}
