//! `https://user:password@host`. What a URL's query holds is an assignment.

use std::ops::Range;

use super::end_of_run;

pub(super) fn find_credentials(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let is_of_authority = |c: u8| !c.is_ascii_whitespace() && !b"/?#\\\"'`<>".contains(&c);
        let authority = &text[start..end_of_run(text.as_bytes(), start, is_of_authority)];
        if let Some((user, _)) = authority.rsplit_once('@')
            && is_secret(&text[..at], user)
        {
            found.push(start..start + user.len());
        }
    }
}

/// Over HTTP a name alone is a token more often than not; `ssh://git@host` is only a name.
fn is_secret(before: &str, user: &str) -> bool {
    let web = ["http", "https", "ws", "wss"];
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    user.contains(':') || web.iter().any(|web| web.eq_ignore_ascii_case(scheme)) && user != "git"
}
