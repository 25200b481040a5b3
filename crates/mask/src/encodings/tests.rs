//! Which forms of a value are looked for.

use super::*;

#[test]
fn base64_keeps_the_characters_that_no_neighbour_changes() {
    // `hunter2`, `?hunter2` and `??hunter2` in base64, less what the question marks touch.
    let forms = [(0, "aHVudGVyM"), (1, "h1bnRlcj"), (2, "odW50ZXIy")];
    for (offset, expected) in forms {
        let form = base64(b"hunter2", offset, *b"+/");
        assert_eq!(String::from_utf8_lossy(&form), expected, "{offset}");
    }
    assert_eq!(base64(b"\xfb\xff\xff", 0, *b"-_").as_slice(), b"-___");
}

#[test]
fn values_that_any_text_may_hold_have_no_forms() {
    for value in ["", "12345", "null", "      ", "  five5  ", "DEFAULT", "undefined"] {
        let mut needles = Vec::new();
        add_forms(value, &mut needles);
        assert!(needles.is_empty(), "{value:?}");
    }
    let mut needles = Vec::new();
    add_forms("123456", &mut needles);
    assert_eq!(needles.len(), 27, "plain, twice in hexadecimal, four times six in base64");
}

#[test]
fn a_value_with_signs_is_also_looked_for_as_urls_and_json_write_it() {
    let number = |value: &str| {
        let mut needles = Vec::new();
        add_forms(value, &mut needles);
        needles.len()
    };
    assert_eq!(number("1234/6"), 27 + 6);
    assert_eq!(number("1234\"6"), 27 + 6 + 6);
    assert_eq!(percent(b"a/b-~c", u8::is_ascii_alphanumeric).as_slice(), b"a%2Fb%2D%7Ec");
    assert_eq!(escaped("a\"b").unwrap().as_slice(), br#"a\"b"#);
}
