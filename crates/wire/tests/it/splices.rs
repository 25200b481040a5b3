//! Editing any object changes what is named and leaves the spelling of everything else.

use proptest::prelude::*;
use serde_json::value::RawValue;
use toolgate_wire::{ObjectSplice, Payload, RawObject, SpliceValue};

use crate::json_text;

fn written(splice: &ObjectSplice<'_>) -> String {
    let mut out = Vec::new();
    splice.write(&mut out);
    String::from_utf8(out).unwrap()
}

proptest! {
    #[test]
    fn other_members_keep_every_byte(
        members in json_text::members(), target in any::<prop::sample::Index>(), value in json_text::value(),
    ) {
        let text = json_text::object_text(&members, " ");
        let raw: &RawValue = serde_json::from_str(&text).unwrap();
        let object = RawObject::parse(raw).unwrap();
        let new: &RawValue = serde_json::from_str(&value).unwrap();
        let Some(target) = (!members.is_empty()).then(|| target.index(members.len())) else {
            return Ok(());
        };
        let key: String = serde_json::from_str(&format!("\"{}\"", members[target].0)).unwrap();

        let mut replaced = ObjectSplice::of(&object);
        replaced.set(key.clone(), SpliceValue::Raw(new));
        let mut expected = members.clone();
        expected[target].1.clone_from(&value);
        prop_assert_eq!(written(&replaced), json_text::object_text(&expected, ""));

        let mut removed = ObjectSplice::of(&object);
        removed.remove(key);
        expected.remove(target);
        prop_assert_eq!(written(&removed), json_text::object_text(&expected, ""));

        let mut added = ObjectSplice::of(&object);
        added.set("a key of our own", SpliceValue::Raw(new));
        expected = members;
        expected.push(("a key of our own".to_owned(), value.clone()));
        prop_assert_eq!(written(&added), json_text::object_text(&expected, ""));
    }

    #[test]
    fn an_object_without_edits_keeps_even_its_whitespace(text in json_text::object()) {
        let raw: &RawValue = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(written(&ObjectSplice::of(&RawObject::parse(raw).unwrap())), raw.get());
    }
}
