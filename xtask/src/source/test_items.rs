//! Blanks out the items of a file that exist only for tests.
//!
//! It goes by the attribute right before the item (`#[cfg(test)]`, `#[cfg(all(test, …))]`,
//! `#[test]`, `#[tokio::test]`); an attribute on a single field or match arm is not understood.

const MARKS: [&str; 4] = ["#[cfg(test)]", "#[cfg(all(test", "#[test]", "#[tokio::test"];

/// The code with test items replaced by blanks; every line stays where it was.
pub fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    while let Some(start) = MARKS.iter().filter_map(|mark| out.find(mark)).min() {
        let end = start + item_length(&out[start..]);
        let blanks: String =
            out[start..end].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        out.replace_range(start..end, &blanks);
    }
    out
}

/// Up to the `;` or the closing brace that ends the item.
fn item_length(item: &str) -> usize {
    let (mut brackets, mut braces) = (0_usize, 0_usize);
    for (at, c) in item.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    return at + 1;
                }
            }
            ';' if brackets == 0 && braces == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}
