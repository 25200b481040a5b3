//! Goes through every text in the arguments, keys included, without building anything of them.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Is told the argument a text belongs to, the text, and whether its key says that it is a path.
pub(super) type ArgumentVisitor<'l> = dyn FnMut(&str, &str, bool) + 'l;

pub(super) fn strings(
    arguments: &RawValue,
    look: &mut ArgumentVisitor<'_>,
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(arguments.get());
    ArgumentTexts { look, argument: None, is_path: false }.deserialize(&mut reader)
}

struct ArgumentTexts<'t, 'l> {
    look: &'t mut ArgumentVisitor<'l>,
    /// The name of the argument that this is inside of.
    argument: Option<&'t str>,
    is_path: bool,
}

impl<'de> DeserializeSeed<'de> for ArgumentTexts<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ArgumentTexts<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("arguments")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        (self.look)(self.argument.unwrap_or_default(), text, self.is_path);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { look, argument, is_path } = self;
        while items
            .next_element_seed(ArgumentTexts { look: &mut *look, argument, is_path })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            let argument = self.argument.unwrap_or(&key);
            (self.look)(argument, &key, false);
            let is_path = self.is_path || speaks_of_a_path(&key);
            members.next_value_seed(ArgumentTexts {
                look: &mut *self.look,
                argument: Some(argument),
                is_path,
            })?;
        }
        Ok(())
    }
}

/// `path`, `target_dir`, `outputFile`, `include-paths`.
fn speaks_of_a_path(key: &str) -> bool {
    const WORDS: [&str; 8] =
        ["path", "file", "filename", "dir", "directory", "folder", "cwd", "root"];
    let begins = |(_, c): &(usize, char)| c.is_ascii_uppercase() || matches!(c, '_' | '-' | '.');
    let last = match key.char_indices().rfind(begins) {
        Some((at, sign)) if sign.is_ascii_uppercase() => &key[at..],
        Some((at, _)) => &key[at + 1..],
        None => key,
    };
    // `PATH` ends in a capital like every other of its letters.
    let is_word = |word: &str| {
        let word = word.to_ascii_lowercase();
        let one = match word.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => word.strip_suffix('s').unwrap_or(&word).to_owned(),
        };
        WORDS.contains(&one.as_str())
    };
    is_word(last) || key.rsplit(['_', '-', '.']).next().is_some_and(is_word)
}
