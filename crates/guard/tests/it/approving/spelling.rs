//! JSON by chance, and the same JSON in another spelling. The same seed gives the same.

use serde_json::{Map, Value};

/// A small generator of its own, so that a seed in a failure is all one needs.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for last in (1..all.len()).rev() {
            all.swap(last, self.below(last + 1));
        }
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    fn text(&mut self) -> String {
        let letters: Vec<char> = "abcXYZ019 _-./\"\\\n\té漢😀\u{202e}".chars().collect();
        (0..self.below(10)).map(|_| letters[self.below(letters.len())]).collect()
    }

    /// An object, at most so deep. No key is empty: there is a byte that can be another.
    pub(super) fn object(&mut self, depth: usize) -> Value {
        let members = (0..1 + self.below(4)).map(|_| (self.text() + "k", self.value(depth)));
        Value::Object(members.collect::<Map<_, _>>())
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => Value::Bool(self.chance()),
            2 => Value::from(i64::try_from(self.below(2_000_000)).unwrap() - 1_000_000),
            3 => {
                let thousandths = f64::from(u32::try_from(self.below(1_000_000)).unwrap());
                Value::from(thousandths / 1024.0)
            }
            4 => Value::String(self.text()),
            5 => Value::Array((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => self.object(depth - 1),
        }
    }
}

/// The same in other words: members in another order, blanks anywhere, numbers and letters spelled
/// otherwise.
pub(super) fn respelled(value: &Value, dice: &mut Dice) -> String {
    let blank = blank(dice);
    let written = match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => other_number(&number.to_string(), dice),
        Value::String(text) => other_text(text, dice),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| respelled(item, dice)).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            dice.shuffle(&mut members);
            let member = |(key, value): (&String, &Value), dice: &mut Dice| {
                format!("{}{blank}:{}", other_text(key, dice), respelled(value, dice))
            };
            let members: Vec<_> = members.into_iter().map(|one| member(one, dice)).collect();
            format!("{{{blank}{}}}", members.join(","))
        }
    };
    format!("{blank}{written}{blank}")
}

fn blank(dice: &mut Dice) -> &'static str {
    ["", "", " ", "\n", "\t", "\r\n  "][dice.below(6)]
}

/// `12`: `12.0`, `12.00`, `120e-1`, `1.2E1`; `0.5`: `0.50`, `5e-1`, and so on.
fn other_number(number: &str, dice: &mut Dice) -> String {
    if number.contains(['e', 'E']) {
        return number.replace('e', "E");
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    match dice.below(4) {
        0 => number.to_owned(),
        1 => format!("{whole}.{fraction}00"),
        2 => format!("{whole}.{fraction}0e+0"),
        _ => {
            let (sign, digits) = match whole.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", whole),
            };
            let digits = format!("{digits}{fraction}");
            let digits = match digits.trim_start_matches('0') {
                "" => "0",
                digits => digits,
            };
            format!("{sign}{digits}0E-{}", fraction.len() + 1)
        }
    }
}

fn other_text(text: &str, dice: &mut Dice) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let must = c == '"' || c == '\\' || u32::from(c) < 0x20;
        if must || dice.below(3) == 0 {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out + "\""
}
