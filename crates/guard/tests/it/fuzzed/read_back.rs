//! Reads what a person is shown as a careful person would, knowing nothing of how it was made.

use serde_json::Value;

pub(super) struct ReadBack {
    pub(super) value: Value,
    /// How many secrets were covered.
    pub(super) covered: usize,
}

/// `key` is what stands behind every covered secret.
pub(super) fn read_back(shown: &str, key: &str) -> ReadBack {
    let mut joined = String::new();
    for (at, line) in shown.lines().enumerate() {
        match line.trim_start_matches(' ').strip_prefix("~ ") {
            Some(rest) => joined.push_str(rest),
            None if at == 0 => joined.push_str(line),
            None => {
                joined.push(' ');
                joined.push_str(line);
            }
        }
    }
    let mut json = String::new();
    let mut covered = 0;
    let (mut is_text, mut rest) = (false, joined.as_str());
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '⟨' => {
                let (words, after) = rest.split_once('⟩').unwrap();
                rest = after;
                match words.split_once(' ').unwrap() {
                    ("your", _) => {
                        covered += 1;
                        json.push_str(key);
                    }
                    ("spelled", _) => assert!(!is_text, "a spelling stands beside"),
                    (count, what) => {
                        let sign = match what {
                            "spaces" => " ",
                            "tabs" => "\\t",
                            "line ends" => "\\n",
                            "carriage returns" => "\\r",
                            other => panic!("{other}"),
                        };
                        json.push_str(&sign.repeat(count.parse().unwrap()));
                    }
                }
            }
            '\\' if is_text => {
                let next = rest.chars().next().unwrap();
                rest = &rest[next.len_utf8()..];
                if let Some(after) = rest.strip_prefix('{').filter(|_| next == 'u') {
                    let (number, after) = after.split_once('}').unwrap();
                    rest = after;
                    let hidden = u32::from_str_radix(number, 16).unwrap();
                    let hidden = char::from_u32(hidden).unwrap().to_string();
                    let quoted = serde_json::to_string(&hidden).unwrap();
                    json.push_str(&quoted[1..quoted.len() - 1]);
                } else {
                    json.push('\\');
                    json.push(next);
                }
            }
            '"' => {
                is_text = !is_text;
                json.push(c);
            }
            plain => json.push(plain),
        }
    }
    ReadBack {
        value: serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}")),
        covered,
    }
}
