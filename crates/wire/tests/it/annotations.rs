//! Which annotations of an input schema are valid, from a sample file: one tool a line.

use serde_json::value::RawValue;
use toolgate_wire::header::{AnnotationError, ParamHeaders};

fn verdict(schema: &str) -> &'static str {
    let raw: &RawValue = serde_json::from_str(schema).unwrap();
    match ParamHeaders::from_schema(raw) {
        Ok(headers) if headers.is_empty() => "none",
        Ok(_) => "valid",
        Err(AnnotationError::Schema(_)) => "schema",
        Err(AnnotationError::NotText) => "not-text",
        Err(AnnotationError::Empty) => "empty",
        Err(AnnotationError::NotAToken { .. }) => "not-a-token",
        Err(AnnotationError::Repeated { .. }) => "repeated",
        Err(AnnotationError::NotPrimitive { .. }) => "not-primitive",
        Err(AnnotationError::NotReachable { .. }) => "not-reachable",
    }
}

#[test]
fn every_sample_has_its_verdict() {
    let samples = include_str!("samples/annotations.txt");
    let mut seen = Vec::new();
    for line in samples.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, schema) = line.split_once(' ').unwrap();
        assert_eq!(verdict(schema), expected, "{schema}");
        seen.push(expected);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 9, "each verdict has a sample: {seen:?}");
}

#[test]
fn a_deep_schema_is_read_once_and_refused() {
    let depth = 5000;
    let schema = format!(
        r#"{}{{"x-mcp-header":"A"}}{}"#,
        r#"{"properties":{"a":"#.repeat(depth),
        "}}".repeat(depth)
    );
    assert_eq!(verdict(&schema), "schema");
}
