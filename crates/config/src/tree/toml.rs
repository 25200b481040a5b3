//! TOML text into the tree.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ConfigMember, ConfigNode, ConfigValue, SyntaxFault};

/// A text that is not TOML at all has an error in each line; nobody reads more than these.
const MOST_ERRORS: usize = 50;

/// The parser bounds inline tables and dotted keys each by itself; combined they nest far deeper
/// than a stack lasts.
const DEEPEST: usize = 128;

pub(crate) fn parse(text: &str, faults: &mut Vec<SyntaxFault>) -> Option<ConfigNode> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors.into_iter().take(MOST_ERRORS) {
        let message = error.message().to_owned();
        let duplicate = message.contains("duplicate key");
        let span = error.span().unwrap_or(0..0);
        let key = text.get(span.clone()).filter(|_| duplicate).unwrap_or_default();
        faults.push(SyntaxFault {
            rule: if duplicate { "duplicate-key" } else { "toml-syntax" },
            at: span.start,
            key: key.to_owned(),
            message: if duplicate { "this key stands twice in one table".into() } else { message },
            help: duplicate.then_some("keep one of the two; neither is taken by itself"),
        });
    }
    let span = table.span();
    Some(ConfigNode { value: members(table.into_inner(), 0, faults), span })
}

fn members(table: DeTable<'_>, depth: usize, faults: &mut Vec<SyntaxFault>) -> ConfigValue {
    let mut members: Vec<ConfigMember> = table
        .into_iter()
        .map(|(key, value)| ConfigMember {
            key_span: key.span(),
            key: key.into_inner().into_owned(),
            value: node(value, depth + 1, faults),
        })
        .collect();
    // The parser keeps keys sorted; what a person wrote first comes first.
    members.sort_by_key(|member| member.key_span.start);
    ConfigValue::Table(members)
}

fn node(value: Spanned<DeValue<'_>>, depth: usize, faults: &mut Vec<SyntaxFault>) -> ConfigNode {
    let span = value.span();
    if depth > DEEPEST {
        faults.push(SyntaxFault {
            rule: "toml-syntax",
            at: span.start,
            key: String::new(),
            message: "tables and arrays recurse too deeply".into(),
            help: None,
        });
        take_apart(value.into_inner());
        return ConfigNode { value: ConfigValue::Null, span };
    }
    let value = match value.into_inner() {
        DeValue::String(text) => ConfigValue::String(text.into_owned()),
        DeValue::Boolean(value) => ConfigValue::Bool(value),
        DeValue::Datetime(value) => ConfigValue::String(value.to_string()),
        DeValue::Integer(value) => {
            number(i64::from_str_radix(value.as_str(), value.radix()).ok(), span.start, faults)
        }
        DeValue::Float(value) => {
            let finite = value.as_str().parse::<f64>().ok().filter(|float| float.is_finite());
            number(finite, span.start, faults)
        }
        DeValue::Array(items) => ConfigValue::Array(
            items.into_iter().map(|item| node(item, depth + 1, faults)).collect(),
        ),
        DeValue::Table(table) => members(table, depth, faults),
    };
    ConfigNode { value, span }
}

/// Drops a value level by level; by itself it would go as deep as it nests.
fn take_apart(value: DeValue<'_>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            DeValue::Array(items) => rest.extend(items.into_iter().map(Spanned::into_inner)),
            DeValue::Table(table) => rest.extend(table.into_iter().map(|(_, v)| v.into_inner())),
            _ => {}
        }
    }
}

fn number<T: ToString>(value: Option<T>, at: usize, faults: &mut Vec<SyntaxFault>) -> ConfigValue {
    if let Some(value) = value {
        return ConfigValue::Number(value.to_string());
    }
    faults.push(SyntaxFault {
        rule: "number-range",
        at,
        key: String::new(),
        message: "this number is out of range".into(),
        help: Some("whole numbers have at most 63 bits; `inf` and `nan` are not accepted"),
    });
    ConfigValue::Null
}
