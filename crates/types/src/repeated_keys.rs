//! JSON in which a key stands twice: readers differ in which of the two they take.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// Fails unless this is an object in which no key stands twice, at any depth. Readers differ in which of
/// two they take, so what one of them checks is not what another does.
pub fn reject_repeated_keys(json: &str) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_map(Unrepeated)?;
    reader.end()
}

#[derive(Clone, Copy)]
struct Unrepeated;

impl<'a> DeserializeSeed<'a> for Unrepeated {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Unrepeated {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
            seen.insert(key);
            map.next_value_seed(self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
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

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_found_at_any_depth_and_its_place_named() {
        for (json, words) in [
            (r#"{"a":1,"a":2}"#, "the key `a` stands twice at line 1 column 10"),
            ("{\"x\":[{\"b\":1,\n\"b\":2}]}", "the key `b` stands twice at line 2 column 3"),
            (r#"{"a":1,"\u0061":2}"#, "the key `a` stands twice"),
            ("[1]", "expected an object at line 1"),
            (r#"{"a":}"#, "expected value at line 1 column 6"),
            (r#"{"a":1} x"#, "trailing characters at line 1 column 9"),
            ("", "EOF"),
        ] {
            let error = reject_repeated_keys(json).unwrap_err().to_string();
            assert!(error.contains(words), "{json}: {error}");
        }
        let fine = r#"{"a":{"a":[{"a":null},{"a":true}]},"b":"","c":-1,"d":1.5e3}"#;
        reject_repeated_keys(fine).unwrap();
    }
}
