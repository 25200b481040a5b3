//! JSON laid out for a person, with every number spelled as it came.

use serde_json::value::RawValue;

/// The same JSON with line breaks and indents.
pub fn pretty(json: &RawValue) -> String {
    let mut out = String::with_capacity(json.get().len() * 2);
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    // Something was opened, and whether it stays empty is not known yet.
    let mut is_opened = false;
    for c in json.get().chars() {
        if is_string {
            out.push(c);
            is_string = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        let closes = matches!(c, '}' | ']');
        match c {
            ' ' | '\t' | '\n' | '\r' => continue,
            _ if closes => {
                depth = depth.saturating_sub(1);
                if !is_opened {
                    break_line(&mut out, depth);
                }
            }
            _ if is_opened => break_line(&mut out, depth),
            _ => {}
        }
        out.push(c);
        is_opened = matches!(c, '{' | '[');
        is_string = c == '"';
        match c {
            '{' | '[' => depth += 1,
            ',' => break_line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(json: &str) -> String {
        pretty(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn it_looks_as_people_know_it_and_numbers_keep_their_spelling() {
        let json = r#"{"a":[1.50, {"b":{ },"c":[ ]}],"d":"x,{\"y\\","e":12345678901234567890123}"#;
        insta::assert_snapshot!(laid_out(json), @r#"
        {
          "a": [
            1.50,
            {
              "b": {},
              "c": []
            }
          ],
          "d": "x,{\"y\\",
          "e": 12345678901234567890123
        }
        "#);
        for same in ["7", "\"a:b\"", "[]", "null"] {
            assert_eq!(laid_out(same), same);
        }
    }
}
