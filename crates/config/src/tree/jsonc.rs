//! JSON with comments and trailing commas into the tree. Nothing looser than that is accepted.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{ConfigMember, ConfigNode, ConfigValue, SyntaxFault};

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

pub(crate) fn parse(text: &str, faults: &mut Vec<SyntaxFault>) -> Option<ConfigNode> {
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

fn syntax(at: usize, message: String) -> SyntaxFault {
    SyntaxFault { rule: "json-syntax", at, key: String::new(), message, help: None }
}

fn node(value: ast::Value<'_>, path: &str, faults: &mut Vec<SyntaxFault>) -> ConfigNode {
    let span = value.range().start..value.range().end;
    let value = match value {
        ast::Value::NullKeyword(_) => ConfigValue::Null,
        ast::Value::BooleanLit(literal) => ConfigValue::Bool(literal.value),
        ast::Value::NumberLit(literal) => ConfigValue::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => ConfigValue::String(literal.value.into_owned()),
        ast::Value::Array(array) => ConfigValue::Array(
            array.elements.into_iter().map(|item| node(item, path, faults)).collect(),
        ),
        ast::Value::Object(object) => ConfigValue::Table(members(object, path, faults)),
    };
    ConfigNode { value, span }
}

fn members(
    object: ast::Object<'_>,
    path: &str,
    faults: &mut Vec<SyntaxFault>,
) -> Vec<ConfigMember> {
    let mut seen = std::collections::HashSet::new();
    let mut members: Vec<ConfigMember> = Vec::with_capacity(object.properties.len());
    for property in object.properties {
        let range = property.name.range();
        let key_span = range.start..range.end;
        let key = match property.name {
            ast::ObjectPropName::String(name) => name.value.into_owned(),
            ast::ObjectPropName::Word(name) => name.value.to_owned(),
        };
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !seen.insert(key.clone()) {
            faults.push(SyntaxFault::duplicate(key_span.start, inner.clone()));
        }
        members.push(ConfigMember { key, key_span, value: node(property.value, &inner, faults) });
    }
    members
}
