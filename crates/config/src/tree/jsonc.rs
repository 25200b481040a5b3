//! JSON with comments and trailing commas into the tree. Nothing looser than that is accepted.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Fault, Member, Node, Value};

/// JSONC as editors understand it, and no JSON5.
pub(crate) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(crate) fn parse(text: &str, faults: &mut Vec<Fault>) -> Option<Node> {
    match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => match parsed.value {
            Some(value) => Some(node(value, "", faults)),
            None => {
                faults.push(syntax(0, "the text is empty".into()));
                None
            }
        },
        Err(error) => {
            faults.push(syntax(error.range().start, error.kind().to_string()));
            None
        }
    }
}

fn syntax(at: usize, message: String) -> Fault {
    Fault { rule: "json-syntax", at, key: String::new(), message, help: None }
}

fn node(value: ast::Value<'_>, path: &str, faults: &mut Vec<Fault>) -> Node {
    let span = value.range().start..value.range().end;
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| node(item, path, faults)).collect())
        }
        ast::Value::Object(object) => Value::Table(members(object, path, faults)),
    };
    Node { value, span }
}

fn members(object: ast::Object<'_>, path: &str, faults: &mut Vec<Fault>) -> Vec<Member> {
    let mut seen = std::collections::HashSet::new();
    let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
    for property in object.properties {
        let range = property.name.range();
        let key_span = range.start..range.end;
        let key = match property.name {
            ast::ObjectPropName::String(name) => name.value.into_owned(),
            ast::ObjectPropName::Word(name) => name.value.to_owned(),
        };
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !seen.insert(key.clone()) {
            faults.push(Fault::duplicate(key_span.start, inner.clone()));
        }
        members.push(Member { key, key_span, value: node(property.value, &inner, faults) });
    }
    members
}
