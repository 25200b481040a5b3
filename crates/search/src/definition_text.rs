//! What of a tool's definition is read, and how much each part of it says.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A tool as it is found.
#[derive(Debug, Clone, Copy)]
pub struct SearchedTool<'a> {
    pub server: &'a str,
    pub name: &'a str,
    pub title: Option<&'a str>,
    pub description: Option<&'a str>,
    /// The schema of its arguments.
    pub schema: Option<&'a RawValue>,
}

/// A part of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolField {
    Name,
    Title,
    /// The first sentence of the description: what a long one goes on with does not drown it.
    Summary,
    /// The rest of the description.
    Details,
    ParameterNames,
    ParameterTexts,
    Server,
}

impl ToolField {
    pub(crate) const ALL: [Self; 7] = [
        Self::Name,
        Self::Title,
        Self::Summary,
        Self::Details,
        Self::ParameterNames,
        Self::ParameterTexts,
        Self::Server,
    ];

    /// How much a word in it counts.
    pub(crate) fn weight(self) -> f32 {
        match self {
            Self::Name => 4.8,
            Self::Title => 0.7,
            Self::Summary | Self::Details => 1.0,
            Self::ParameterNames => 0.15,
            Self::ParameterTexts => 0.3,
            Self::Server => 1.3,
        }
    }

    /// Whether it is written in sentences or names something as people write it.
    pub(crate) fn is_prose(self) -> bool {
        !matches!(self, Self::Name | Self::ParameterNames)
    }

    /// How much less it counts in a field that is longer than others are: 0 not at all, 1 in proportion.
    pub(crate) fn length_matters(self) -> f32 {
        match self {
            Self::Name | Self::Server => 0.6,
            Self::Title => 0.5,
            Self::Summary => 0.85,
            Self::Details => 0.65,
            Self::ParameterNames | Self::ParameterTexts => 0.88,
        }
    }

    /// How long it is with most tools. Fixed, so that no server makes its own texts look short by having
    /// many endless ones.
    pub(crate) fn usual_words(self) -> f32 {
        match self {
            Self::Name | Self::Title => 3.0,
            Self::Server => 1.5,
            Self::Summary | Self::Details => 16.0,
            Self::ParameterNames => 5.0,
            Self::ParameterTexts => 25.0,
        }
    }

    /// So many words of it are read. A text that has every word is found by none of them.
    pub(crate) fn most_words(self) -> usize {
        match self {
            Self::Name | Self::Server => 24,
            Self::Title => 16,
            Self::Summary | Self::Details => 160,
            Self::ParameterNames | Self::ParameterTexts => 160,
        }
    }
}

/// What a schema says of its parameters, two levels deep.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SchemaText<'a> {
    #[serde(borrow)]
    properties: Option<std::collections::BTreeMap<String, &'a RawValue>>,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
    description: Option<String>,
    #[serde(borrow)]
    r#enum: Option<Vec<&'a RawValue>>,
}

impl SearchedTool<'_> {
    /// The texts of a field, one after the other.
    pub(crate) fn texts(&self, field: ToolField, mut each: impl FnMut(&str)) {
        match field {
            ToolField::Name => each(self.name),
            ToolField::Title => self.title.into_iter().for_each(each),
            ToolField::Summary => each(self.summary_and_details().0),
            ToolField::Details => each(self.summary_and_details().1),
            ToolField::Server => each(self.server),
            ToolField::ParameterNames => self.parameters(0, &mut |name, _| each(name)),
            ToolField::ParameterTexts => self.parameters(0, &mut |_, text| each(text)),
        }
    }

    /// What a description begins with, and the rest of it.
    fn summary_and_details(&self) -> (&str, &str) {
        let text = self.description.unwrap_or_default().trim_start();
        let ends = [". ", ".\n", "\n\n", "! ", "? "];
        let end = ends.iter().filter_map(|end| text.find(end)).min();
        text.split_at(end.map_or(text.len(), |end| end + 1))
    }

    fn parameters(&self, depth: usize, each: &mut impl FnMut(&str, &str)) {
        if let Some(schema) = self.schema {
            walk(schema, depth, each);
        }
    }
}

/// Deeper ones say what a parameter is made of, not what a tool is for.
const DEEPEST: usize = 2;

fn walk(schema: &RawValue, depth: usize, each: &mut impl FnMut(&str, &str)) {
    // A schema may be `true`, or nothing that is known here.
    let Ok(text) = serde_json::from_str::<SchemaText<'_>>(schema.get()) else { return };
    if depth > 0 {
        each("", text.description.as_deref().unwrap_or_default());
        for word in text.r#enum.iter().flatten() {
            each("", word.get());
        }
    }
    if depth >= DEEPEST {
        return;
    }
    for (name, property) in text.properties.iter().flatten() {
        each(name, "");
        walk(property, depth + 1, each);
    }
    if let Some(items) = text.items {
        walk(items, depth + 1, each);
    }
}
