//! From the arguments of a call to those of a command: each item of `args` is one argument or none.
//!
//! No shell, no splitting, no second look: what a parameter holds stands where it is named, whatever it
//! looks like. It cannot become a flag either, unless the entry lets that parameter.

use serde_json::value::RawValue;
use toolgate_types::config::{ArgTemplate, CommandTool, TemplatePart};
use toolgate_types::{ConfigText, visible};
use toolgate_wire::RawObject;

use super::CommandError;

/// The arguments of the command, its own name not among them.
pub(super) fn fill(
    tool: &CommandTool,
    arguments: Option<&RawValue>,
) -> Result<Vec<ConfigText>, CommandError> {
    let object = arguments.map(RawObject::parse).transpose();
    let object = object.map_err(|error| CommandError::Arguments(error.to_string()))?;
    let values = ParameterValues { tool, object: object.as_ref() };
    let mut args = Vec::with_capacity(tool.args.len());
    for item in &tool.args {
        args.extend(values.item(item)?);
    }
    Ok(args)
}

/// What a parameter holds, as an argument has it.
struct ParameterValue {
    text: String,
    /// And not a number or a word for true or false.
    is_text: bool,
}

fn refused(name: &str, why: &str) -> CommandError {
    CommandError::Arguments(format!("the parameter `{}` {why}", visible(name)))
}

struct ParameterValues<'a> {
    tool: &'a CommandTool,
    object: Option<&'a RawObject<'a>>,
}

impl ParameterValues<'_> {
    /// One argument; none where a parameter in it was left out.
    fn item(&self, item: &ConfigText) -> Result<Option<ConfigText>, CommandError> {
        let has_parameters = self.template(item.expose())?.parameters().next().is_some();
        if !has_parameters {
            return Ok(Some(item.clone()));
        }
        let Some(value) = self.filled(item.expose())? else { return Ok(None) };
        Ok(Some(match item {
            ConfigText::Secret { expanded: true, .. } => {
                let shown = self.filled(item.written())?.unwrap_or_default();
                ConfigText::expanded(shown, value)
            }
            // What a caller gives is never hidden from who approves it, whatever it follows.
            _ => ConfigText::Plain(value),
        }))
    }

    fn filled(&self, text: &str) -> Result<Option<String>, CommandError> {
        let mut filled = String::new();
        // What its first character is the word of, where that is a caller's; and what came after it.
        let (mut first, mut is_number) = (None, false);
        for part in self.template(text)?.parts() {
            match part {
                TemplatePart::Text(text) => {
                    // Before it nothing but values that are empty: the caller makes a flag of it.
                    if let (Some(name), true) = (first, filled.is_empty() && text.starts_with('-'))
                    {
                        return Err(refused(name, "is empty, and what follows would be a flag"));
                    }
                    filled.push_str(text);
                }
                TemplatePart::Parameter(name) => {
                    let Some(value) = self.value(name)? else { return Ok(None) };
                    let is_text = value.is_text && !value.text.is_empty();
                    if is_number && is_text && filled.starts_with('-') {
                        return Err(refused(
                            name,
                            "follows a negative number, which would be a flag",
                        ));
                    }
                    if filled.is_empty() {
                        (first, is_number) = (Some(*name), !value.is_text);
                    }
                    filled.push_str(&value.text);
                }
            }
        }
        Ok(Some(filled))
    }

    fn template<'t>(&self, text: &'t str) -> Result<ArgTemplate<'t>, CommandError> {
        ArgTemplate::parse(text).map_err(|error| CommandError::Arguments(error.to_string()))
    }

    /// Nothing where it was left out.
    fn value(&self, name: &str) -> Result<Option<ParameterValue>, CommandError> {
        let Some(raw) = self.object.and_then(|object| object.get_some(name)) else {
            return Ok(None);
        };
        let refuse = |why: &str| refused(name, why);
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"') => {
                let text: String = serde_json::from_str(json).map_err(|_| refuse("is no text"))?;
                if text.contains('\0') {
                    return Err(refuse("holds a NUL character"));
                }
                if text.starts_with('-') && !self.may_begin_with_dash(name) {
                    return Err(refuse("begins with `-` and could be read as a flag"));
                }
                Ok(Some(ParameterValue { text, is_text: true }))
            }
            Some(b'[') => Err(refuse("is an array, and an argument of a command is one text")),
            Some(b'{') => Err(refuse("is an object, and an argument of a command is one text")),
            // A number, as it is spelt, or a word for true or false.
            _ => Ok(Some(ParameterValue { text: json.to_owned(), is_text: false })),
        }
    }

    fn may_begin_with_dash(&self, name: &str) -> bool {
        self.tool.allow_dash.iter().any(|allowed| allowed == name)
    }
}

#[cfg(test)]
mod tests;
