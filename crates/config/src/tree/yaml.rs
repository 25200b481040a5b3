//! YAML into the tree, as far as other clients' files need it: one document, no aliases.
//!
//! The list `mcpServers`, whose items have their names in them, becomes a table by those names, since
//! that is what it means and what everybody else writes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{ConfigMember, ConfigNode, ConfigValue, SyntaxFault};

/// What is nested deeper is no configuration.
const DEEPEST: usize = 128;

/// The list that is read as a table.
const NAMED_LIST: &str = "mcpServers";

pub(crate) fn parse(text: &str, faults: &mut Vec<SyntaxFault>) -> Option<ConfigNode> {
    let mut reading = YamlReading::new(text);
    for event in Parser::new_from_str(text) {
        let read = match event {
            Ok((event, span)) => reading.take(event, span),
            Err(error) => {
                Err(syntax(reading.byte(error.marker().index()), error.info().to_owned()))
            }
        };
        if let Err(fault) = read {
            faults.push(fault);
            return None;
        }
    }
    faults.append(&mut reading.faults);
    let Some(mut root) = reading.root else {
        faults.push(syntax(0, "the text is empty".to_owned()));
        return None;
    };
    name_the_list(&mut root, faults);
    Some(root)
}

fn syntax(at: usize, message: String) -> SyntaxFault {
    SyntaxFault { rule: "yaml-syntax", at, key: String::new(), message, help: None }
}

/// What is open while the text is read.
enum OpenNode {
    List { start: usize, items: Vec<ConfigNode> },
    Table { start: usize, members: Vec<ConfigMember>, key: Option<(String, Range<usize>)> },
}

struct YamlReading<'t> {
    text: &'t str,
    /// The byte of each character, and the end.
    bytes: Vec<usize>,
    open: Vec<OpenNode>,
    root: Option<ConfigNode>,
    faults: Vec<SyntaxFault>,
}

impl<'t> YamlReading<'t> {
    fn new(text: &'t str) -> Self {
        let bytes = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        Self { text, bytes, open: Vec::new(), root: None, faults: Vec::new() }
    }

    fn byte(&self, index: usize) -> usize {
        self.bytes.get(index).copied().unwrap_or(self.text.len())
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), SyntaxFault> {
        let at = self.byte(span.start.index());
        let end = self.byte(span.end.index()).max(at);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(_) if self.root.is_some() => {
                return Err(syntax(at, "there is more than one document".to_owned()));
            }
            Event::DocumentStart(_) => {}
            Event::Alias(_) => {
                return Err(syntax(at, "an alias (`*name`) is not followed here".to_owned()));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if self.open.len() >= DEEPEST => {
                return Err(syntax(at, "tables and lists recurse too deeply".to_owned()));
            }
            Event::SequenceStart(..) => {
                self.open.push(OpenNode::List { start: at, items: Vec::new() });
            }
            Event::MappingStart(..) => {
                self.open.push(OpenNode::Table { start: at, members: Vec::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(end),
            Event::Scalar(text, style, ..) => {
                let written = self.text[at..end].trim_end().len();
                self.scalar(text, style, at..at + written);
            }
        }
        Ok(())
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, span: Range<usize>) {
        if let Some(OpenNode::Table { key: key @ None, .. }) = self.open.last_mut() {
            *key = Some((text.into_owned(), span));
            return;
        }
        let value = match style {
            ScalarStyle::Plain => plain(&text),
            _ => ConfigValue::String(text.into_owned()),
        };
        self.put(ConfigNode { value, span });
    }

    fn close(&mut self, end: usize) {
        let node = match self.open.pop() {
            Some(OpenNode::List { start, items }) => {
                let last = items.last().map_or(start, |item| item.span.end);
                let span = start..self.end_of(start, last, end);
                ConfigNode { value: ConfigValue::Array(items), span }
            }
            Some(OpenNode::Table { start, members, .. }) => {
                let ends = members.iter().map(|one| one.value.span.end.max(one.key_span.end));
                let span = start..self.end_of(start, ends.max().unwrap_or(start), end);
                ConfigNode { value: ConfigValue::Table(members), span }
            }
            None => return,
        };
        self.put(node);
    }

    /// What stands in brackets ends with them; a block ends with the last thing in it.
    fn end_of(&self, start: usize, last: usize, end: usize) -> usize {
        if self.text[start..].starts_with(['[', '{']) { end } else { last }
    }

    fn put(&mut self, node: ConfigNode) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenNode::List { items, .. }) => items.push(node),
            Some(OpenNode::Table { members, key, .. }) => {
                // A key that is no text has none that could be asked for.
                let (key, key_span) = key.take().unwrap_or((String::new(), node.span.clone()));
                if members.iter().any(|known| known.key == key) {
                    self.faults.push(SyntaxFault::duplicate(key_span.start, key.clone()));
                }
                // Nothing is written where the reader would say that it is.
                let is_absent = node.span.is_empty();
                let span = if is_absent { key_span.end..key_span.end } else { node.span };
                members.push(ConfigMember {
                    key,
                    key_span,
                    value: ConfigNode { value: node.value, span },
                });
            }
        }
    }
}

/// What a word without quotes means.
fn plain(text: &str) -> ConfigValue {
    let is_number = |text: &str| {
        let starts = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        starts && serde_json::from_str::<serde_json::Number>(text).is_ok()
    };
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ConfigValue::Null,
        "true" | "True" | "TRUE" => ConfigValue::Bool(true),
        "false" | "False" | "FALSE" => ConfigValue::Bool(false),
        number if is_number(number) => ConfigValue::Number(number.to_owned()),
        text => ConfigValue::String(text.to_owned()),
    }
}

fn name_the_list(root: &mut ConfigNode, faults: &mut Vec<SyntaxFault>) {
    let ConfigValue::Table(members) = &mut root.value else { return };
    let Some(list) = members.iter_mut().find(|member| member.key == NAMED_LIST) else { return };
    // A list that nothing stands in is written as nothing at all.
    if list.value.value == ConfigValue::Null {
        list.value.value = ConfigValue::Table(Vec::new());
    }
    let ConfigValue::Array(items) = &mut list.value.value else { return };
    let mut seen = HashSet::new();
    let named = std::mem::take(items).into_iter().enumerate().map(|(index, item)| {
        let name = item.get("name").or_else(|| item.get("uses"));
        let key_span = name.map_or(item.span.clone(), |name| name.span.clone());
        let key = name.and_then(ConfigNode::string).map(str::to_owned);
        let key = key.unwrap_or_else(|| format!("#{}", index + 1));
        if !seen.insert(key.clone()) {
            faults.push(SyntaxFault::duplicate(key_span.start, format!("{NAMED_LIST}.{key}")));
        }
        ConfigMember { key, key_span, value: item }
    });
    list.value.value = ConfigValue::Table(named.collect());
}
