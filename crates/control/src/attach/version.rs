//! Which of two versions is the newer one, in the order of semantic versioning.

use std::cmp::Ordering;

/// Whether the first is newer than the second. What cannot be read is newer than nothing, and nothing
/// is newer than it.
pub(crate) fn is_newer(ours: &str, theirs: &str) -> bool {
    match (ReleaseVersion::parse(ours), ReleaseVersion::parse(theirs)) {
        (Some(ours), Some(theirs)) => ours.order(&theirs) == Ordering::Greater,
        _ => false,
    }
}

struct ReleaseVersion<'a> {
    numbers: [u64; 3],
    /// What stands before a release: `rc.1`.
    before: Option<&'a str>,
}

impl<'a> ReleaseVersion<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        // What stands after a plus sign makes no difference.
        let text = text.split_once('+').map_or(text, |(version, _)| version);
        let (numbers, before) = match text.split_once('-') {
            Some((numbers, before)) => (numbers, Some(before)),
            None => (text, None),
        };
        let mut parts = numbers.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(Self { numbers, before })
    }

    fn order(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (self.before, other.before) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(other)) => order_before(one, other),
        })
    }
}

/// Numbers by value and below words; fewer parts below more.
fn order_before(one: &str, other: &str) -> Ordering {
    let (mut ones, mut others) = (one.split('.'), other.split('.'));
    loop {
        let order = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(one), Ok(other)) => one.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn versions_have_the_order_of_semantic_versioning() {
        let rising = [
            "0.1.0-alpha",
            "0.1.0-alpha.1",
            "0.1.0-alpha.beta",
            "0.1.0-beta",
            "0.1.0-beta.2",
            "0.1.0-beta.11",
            "0.1.0-rc.1",
            "0.1.0",
            "0.1.9",
            "0.1.10",
            "0.2.0",
            "1.0.0",
            "10.0.0",
        ];
        for (at, one) in rising.iter().enumerate() {
            for (other_at, other) in rising.iter().enumerate() {
                assert_eq!(is_newer(one, other), at > other_at, "{one} {other}");
            }
        }
        assert!(!is_newer("1.0.0+b", "1.0.0+a"));
    }

    #[test]
    fn what_is_no_version_is_neither_newer_nor_older() {
        for odd in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.2.-3"] {
            assert!(!is_newer(odd, "0.0.1") && !is_newer("9.9.9", odd), "{odd}");
        }
    }
}
