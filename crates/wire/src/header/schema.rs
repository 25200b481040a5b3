//! The walk through an input schema that finds every annotation, in one pass.
//!
//! It tells schemas from the data and the names between them: a property may be called
//! `x-mcp-header`, and a default value may contain it. Whether an annotation is valid is judged
//! elsewhere.

use memchr::memmem;
use serde_json::value::RawValue;

use super::annotation::{ANNOTATION, AnnotationError, FoundAnnotation, ParamHeaders};
use crate::MessageLimits;
use crate::json::{JsonScanner, RawStr, ScanFault};

/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value maps names to schemas.
const SCHEMAS_BY_NAME: [&str; 5] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

impl ParamHeaders {
    /// Reads the annotations of an input schema.
    pub fn from_schema(schema: &RawValue) -> Result<Self, AnnotationError> {
        let text = schema.get();
        if Self::may_be_in(schema) && text.starts_with('{') { walk(text) } else { Ok(Self::NONE) }
    }

    /// Whether it is worth reading: nearly every schema has none, in this or in an escaped spelling.
    pub fn may_be_in(schema: &RawValue) -> bool {
        let mut parts = [ANNOTATION, "\\u"].iter();
        parts.any(|part| memmem::find(schema.get().as_bytes(), part.as_bytes()).is_some())
    }
}

fn walk(schema: &str) -> Result<ParamHeaders, AnnotationError> {
    let mut walk =
        SchemaWalk { headers: ParamHeaders::NONE, path: Some(Vec::new()), problem: None };
    let mut scanner = JsonScanner::new(schema, MessageLimits::DEFAULT.depth);
    walk.schema(&mut scanner).map_err(|fault| fault.explain(schema))?;
    match walk.problem {
        Some(problem) => Err(problem),
        None => Ok(walk.headers),
    }
}

struct SchemaWalk {
    headers: ParamHeaders,
    /// Leads to the current schema through `properties` alone; `None` if there is no such way.
    path: Option<Vec<String>>,
    /// The first annotation that breaks a rule.
    problem: Option<AnnotationError>,
}

impl SchemaWalk {
    fn schema<'a>(&mut self, scanner: &mut JsonScanner<'a>) -> Result<(), ScanFault> {
        let (mut annotation, mut kind) = (None, None);
        scanner.object(|scanner, key| {
            if key.is(ANNOTATION) {
                annotation = Some(scanner.value()?);
                return Ok(());
            }
            if key.is("type") {
                kind = Some(scanner.value()?);
                return Ok(());
            }
            let is_object = scanner.peek() == Some(b'{');
            if key.is("properties") && is_object {
                scanner.object(|scanner, name| self.property(scanner, name))
            } else if is_object && SCHEMAS_BY_NAME.iter().any(|keyword| key.is(keyword)) {
                scanner.object(|scanner, _| self.elsewhere(scanner))
            } else if SCHEMAS.iter().any(|keyword| key.is(keyword)) {
                self.elsewhere(scanner)
            } else {
                scanner.skip()
            }
        })?;
        if let Some(annotation) = annotation {
            let added =
                self.headers.add(FoundAnnotation { annotation, kind }, self.path.as_deref());
            self.problem = self.problem.take().or(added.err());
        }
        Ok(())
    }

    fn property<'a>(
        &mut self,
        scanner: &mut JsonScanner<'a>,
        name: RawStr<'a>,
    ) -> Result<(), ScanFault> {
        if scanner.peek() != Some(b'{') {
            return scanner.skip();
        }
        let (Some(path), Some(name)) = (&mut self.path, name.text()) else {
            return self.elsewhere(scanner);
        };
        path.push(name.into_owned());
        let walked = self.schema(scanner);
        if let Some(path) = &mut self.path {
            path.pop();
        }
        walked
    }

    /// A schema, or a list of them, that arguments do not always reach.
    fn elsewhere(&mut self, scanner: &mut JsonScanner<'_>) -> Result<(), ScanFault> {
        let path = self.path.take();
        let walked = match scanner.peek() {
            Some(b'{') => self.schema(scanner),
            Some(b'[') => scanner.array(|scanner| match scanner.peek() {
                Some(b'{') => self.schema(scanner),
                _ => scanner.skip(),
            }),
            _ => scanner.skip(),
        };
        self.path = path;
        walked
    }
}
