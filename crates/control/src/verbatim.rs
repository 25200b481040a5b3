//! JSON that goes from one process to another as the very bytes it is: inside a text, so that no
//! newline in it ends a line and nobody writes it anew.

use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

#[derive(Debug, Clone)]
pub struct Verbatim(pub Box<RawValue>);

impl Deref for Verbatim {
    type Target = RawValue;

    fn deref(&self) -> &RawValue {
        &self.0
    }
}

impl From<&RawValue> for Verbatim {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl Serialize for Verbatim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.get())
    }
}

impl<'a> Deserialize<'a> for Verbatim {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        RawValue::from_string(text).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_through_on_one_line() {
        let json = "{\n  \"a\": 1.50,\r\n\t\"\\u00e9\": [ 1e3 ]\n}";
        let sent = serde_json::to_string(&Verbatim(serde_json::from_str(json).unwrap())).unwrap();
        assert!(!sent.contains(['\n', '\r']), "{sent}");
        let came: Verbatim = serde_json::from_str(&sent).unwrap();
        assert_eq!(came.get(), json);
        assert!(serde_json::from_str::<Verbatim>(r#""{""#).is_err());
    }
}
