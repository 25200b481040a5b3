//! Which scopes a login asks for: what a person named; else what the server wanted just now; else what
//! it can want; and what was granted before, when it wants more.

use super::LoginOffer;
use super::login_wish::LoginWish;

/// What makes an authorization server give a refresh token.
const OFFLINE: &str = "offline_access";

pub(super) fn scope_to_ask(offer: &LoginOffer, wish: &LoginWish<'_>) -> Option<String> {
    let configured = wish.configured.scope.as_ref().map(|scope| scope.expose());
    let challenged = wish.challenge.and_then(|challenge| challenge.scope.as_deref());
    let wanted = wish.known.and_then(|known| known.wanted_scope.as_deref());
    let named = wish.scope.or(configured);
    let first = named.or(challenged).or(wanted).or(offer.resource_scopes.as_deref());
    let mut all: Vec<&str> = first.into_iter().flat_map(str::split_whitespace).collect();
    // More was wanted than was granted: asking for that alone would lose the rest.
    if named.is_none() && (wanted.is_some() || challenged_again(wish)) {
        let more = [wanted, granted(wish)].into_iter().flatten();
        all.extend(more.flat_map(str::split_whitespace));
    }
    if offer.server.scopes.iter().any(|scope| scope == OFFLINE) && !all.is_empty() {
        all.push(OFFLINE);
    }
    let mut asked: Vec<&str> = Vec::new();
    for scope in all {
        if !asked.contains(&scope) {
            asked.push(scope);
        }
    }
    (!asked.is_empty()).then(|| asked.join(" "))
}

fn challenged_again(wish: &LoginWish<'_>) -> bool {
    wish.challenge.is_some_and(|challenge| challenge.is_insufficient_scope())
}

fn granted<'a>(wish: &LoginWish<'a>) -> Option<&'a str> {
    wish.known?.tokens.as_ref()?.scope.as_deref()
}

#[cfg(test)]
mod tests;
