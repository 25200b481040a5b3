//! What stands on the pages. Nothing on them is a tag but what is written here.

use http::StatusCode;
use toolgate_auth::login::AuthorizationAttempt;
use toolgate_gateway::PageAnswer;
use toolgate_types::visible;

use super::server_place::ServerPlace;

/// One sentence.
pub(super) fn told(status: u16, sentence: &str) -> PageAnswer {
    page(status, &format!("<p>{}</p>", escaped(sentence)))
}

/// As whom, where to and for what: nobody is sent to a login that they did not ask for.
pub(super) fn asks_to_go_on(place: &ServerPlace, attempt: &AuthorizationAttempt) -> PageAnswer {
    let row = |name: &str, value: &str| {
        format!("<tr><td>{name}&emsp;</td><td><b>{}</b></td></tr>", escaped(&visible(value)))
    };
    let link = attempt.link();
    let rows = [
        row("server", place.key.server.as_str()),
        row("its login is at", &link.origin().ascii_serialization()),
        row("may be used by calls of", place.principal.as_str()),
        attempt.scope().map(|scope| row("for", scope)).unwrap_or_default(),
    ];
    let link = escaped(link.as_str());
    page(
        200,
        &format!(
            "<p>An agent that works for you wants to use a server that you have to log in to.</p>\
             <table>{}</table><p><a href=\"{link}\" rel=\"noreferrer\">Go on to the login</a></p>\
             <p>If you did not ask for this, close this page.</p>",
            rows.concat()
        ),
    )
}

fn page(status: u16, body: &str) -> PageAnswer {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Toolgate</title>\
         <body style=\"font-family: system-ui, sans-serif; max-width: 40rem; margin: 20vh auto\">\
         <h1>Toolgate</h1>{body}</body></html>"
    );
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    PageAnswer::Page { status, html }
}

/// As text, in an element and in an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
