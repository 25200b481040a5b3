//! One item of a command tool's `args`: text with parameters of the call in it, `--name={{name}}`.
//!
//! It becomes exactly one argument of the command. What a parameter holds is put in once and not looked
//! at again.

/// An item of `args`, in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgTemplate<'a>(Vec<TemplatePart<'a>>);

/// A part of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplatePart<'a> {
    Text(&'a str),
    /// The name of a parameter.
    Parameter(&'a str),
}

/// Why an item cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("`{{{{` is not closed by `}}}}`")]
    Unclosed,
    #[error("`{{{{}}}}` names no parameter")]
    Nameless,
}

impl<'a> ArgTemplate<'a> {
    pub fn parse(text: &'a str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, left) = after.split_once("}}").ok_or(TemplateError::Unclosed)?;
            if name.trim().is_empty() {
                return Err(TemplateError::Nameless);
            }
            if !before.is_empty() {
                parts.push(TemplatePart::Text(before));
            }
            parts.push(TemplatePart::Parameter(name.trim()));
            rest = left;
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(TemplatePart::Text(rest));
        }
        Ok(Self(parts))
    }

    pub fn parts(&self) -> &[TemplatePart<'a>] {
        &self.0
    }

    /// The parameters that it names, in their order.
    pub fn parameters(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Parameter(name) => Some(*name),
            TemplatePart::Text(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TemplatePart::{Parameter, Text};
    use super::*;

    #[test]
    fn an_item_is_text_with_parameters_in_it() {
        for (text, parts) in [
            ("", vec![Text("")]),
            ("run", vec![Text("run")]),
            ("{{a}}", vec![Parameter("a")]),
            ("--x={{ a }}", vec![Text("--x="), Parameter("a")]),
            ("{{a}}:{{b}}.", vec![Parameter("a"), Text(":"), Parameter("b"), Text(".")]),
            ("a}}b{c", vec![Text("a}}b{c")]),
            // No parameter is called that, which whoever reads the entry says.
            ("{{{a}}}", vec![Parameter("{a"), Text("}")]),
        ] {
            assert_eq!(ArgTemplate::parse(text).unwrap().parts(), parts, "{text}");
        }
        assert_eq!(ArgTemplate::parse("x{{a"), Err(TemplateError::Unclosed));
        assert_eq!(ArgTemplate::parse("{{ }}"), Err(TemplateError::Nameless));
    }
}
