//! Whether an allow list and a deny list let a name through.

use toolgate_types::config::Filter;
use toolgate_types::{Pattern, ServerId};

/// In the allow list, where there is one, and not in the deny list.
pub fn admits(filter: &Filter, server: &ServerId, name: &str) -> bool {
    let among = |patterns: &[Pattern]| {
        patterns.iter().any(|pattern| matches(pattern.as_str(), server.as_str(), name))
    };
    filter.allow.as_deref().is_none_or(among) && !among(&filter.deny)
}

/// `server:glob` binds a glob to one server; a glob alone is about the name on any.
fn matches(pattern: &str, server: &str, name: &str) -> bool {
    match pattern.split_once(':') {
        Some((bound, glob)) if bound == server => glob_matches(glob, name),
        // A name may hold a colon itself.
        _ => glob_matches(pattern, name),
    }
}

/// `*` stands for any run of characters, `?` for one. Linear in the pattern times the text.
fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut at, mut read) = (0, 0);
    // Where the last `*` stands, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&c) if c == '?' || c == text[read] => {
                at += 1;
                read += 1;
            }
            _ => match &mut star {
                Some((place, taken)) => {
                    *taken += 1;
                    (at, read) = (*place + 1, *taken);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_people_expect() {
        let cases = [
            ("*", "", true),
            ("read_*", "read_file", true),
            ("read_*", "unread_file", false),
            ("*delete*", "bulk_delete_all", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxxab", true),
            ("*a*b", "xaxxac", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("", "x", false),
        ];
        for (glob, text, expected) in cases {
            assert_eq!(glob_matches(glob, text), expected, "{glob} {text}");
        }
    }

    /// Shows: S4-15.
    #[test]
    fn in_the_allow_list_and_not_in_the_deny_list() {
        let pattern = |text: &str| Pattern::parse(text).unwrap();
        let github = ServerId::parse("github").unwrap();
        let other = ServerId::parse("other").unwrap();
        let all = Filter::default();
        assert!(admits(&all, &github, "anything"));
        let some = Filter {
            allow: Some(vec![pattern("get_*"), pattern("github:push_*")]),
            deny: vec![pattern("*_secret"), pattern("other:*")],
        };
        assert!(admits(&some, &github, "get_issue"));
        assert!(admits(&some, &github, "push_files"));
        assert!(!admits(&some, &github, "get_secret"), "a deny wins");
        assert!(!admits(&some, &github, "delete"), "not in the allow list");
        assert!(!admits(&some, &other, "push_files"), "bound to another server");
        assert!(!admits(&some, &other, "get_issue"), "denied for this server");
    }

    #[test]
    fn a_pattern_of_stars_takes_no_long_time() {
        let stars = "*a".repeat(40);
        assert!(!glob_matches(&stars, &"b".repeat(10_000)));
    }
}
