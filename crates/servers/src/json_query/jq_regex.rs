//! What jq's definitions for regular expressions (`test`, `match`, `sub`, …) are made of.

use jaq_core::data::JustLut;
use jaq_core::native::{Filter, bome, v};
use jaq_core::{Cv, Error, RunPtr, ValR};
use jaq_json::{Map, Val};
use jaq_std::ValT as _;
use regex::{Captures, Regex, RegexBuilder};

type QueryData = JustLut<Val>;

/// A compiled pattern may take this much memory.
const LARGEST_PATTERN: usize = 4 << 20;

pub(super) fn regex_functions() -> impl Iterator<Item = Filter<RunPtr<QueryData>>> {
    let functions: [Filter<RunPtr<QueryData>>; 3] = [
        ("matches", v(2), |cv| bome(parts(cv, WantedParts { between: false, matches: true }))),
        ("split_matches", v(2), |cv| bome(parts(cv, WantedParts { between: true, matches: true }))),
        ("split_", v(2), |cv| bome(parts(cv, WantedParts { between: true, matches: false }))),
    ];
    functions.into_iter()
}

#[derive(Clone, Copy)]
struct WantedParts {
    between: bool,
    matches: bool,
}

/// The texts between matches, and the matches, each a list of what its groups caught.
fn parts(mut cv: Cv<'_, QueryData>, wanted: WantedParts) -> ValR<Val> {
    let (flags, pattern) = (cv.0.pop_var(), cv.0.pop_var());
    let (text, flags, pattern) = (string(&cv.1)?, string(&flags)?, string(&pattern)?);
    let regex = compiled(&pattern, &flags)?;
    let most = if flags.contains('g') { usize::MAX } else { 1 };
    let is_wanted = |caught: &Captures<'_>| !flags.contains('n') || !caught[0].is_empty();
    let (mut found, mut at) = (Vec::new(), 0);
    for caught in regex.captures_iter(&text).filter(is_wanted).take(most) {
        let Some(whole) = caught.get(0) else { continue };
        if wanted.between {
            found.push(Val::utf8_str(text[at..whole.start()].to_owned()));
        }
        if wanted.matches {
            found.push(groups(&regex, &caught, &text));
        }
        at = whole.end();
    }
    if wanted.between {
        found.push(Val::utf8_str(text[at..].to_owned()));
    }
    Ok(found.into_iter().collect())
}

fn groups(regex: &Regex, caught: &Captures<'_>, text: &str) -> Val {
    let group = |(name, place): (Option<&str>, Option<regex::Match<'_>>)| {
        let place = place?;
        let offset = text[..place.start()].chars().count();
        let mut members = Map::default();
        let mut set = |key: &str, value: Val| members.insert(Val::utf8_str(key.to_owned()), value);
        set("offset", Val::from(offset));
        set("length", Val::from(place.as_str().chars().count()));
        set("string", Val::utf8_str(place.as_str().to_owned()));
        if let Some(name) = name {
            set("name", Val::utf8_str(name.to_owned()));
        }
        Some(Val::obj(members))
    };
    regex.capture_names().zip(caught.iter()).filter_map(group).collect()
}

fn compiled(pattern: &str, flags: &str) -> Result<Regex, Error<Val>> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(LARGEST_PATTERN);
    for flag in flags.chars() {
        match flag {
            'g' | 'n' => &mut builder,
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            's' => builder.dot_matches_new_line(true),
            'l' => builder.swap_greed(true),
            'p' => builder.dot_matches_new_line(true).multi_line(true),
            other => return Err(Error::str(format_args!("`{other}` is no regex flag"))),
        };
    }
    builder.build().map_err(|error| Error::str(format_args!("invalid regex: {error}")))
}

fn string(value: &Val) -> Result<String, Error<Val>> {
    let bytes = value.as_utf8_bytes();
    let bytes = bytes.ok_or_else(|| Error::str("a regex wants strings"))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
