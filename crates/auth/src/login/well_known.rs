//! Where metadata may be, in the order in which the specification has it looked for.

use url::Url;

/// Of a protected resource: for its path first, then for its whole origin (RFC 9728).
pub(super) fn of_resource(server: &Url) -> Vec<Url> {
    let inserted = inserted(server, "oauth-protected-resource");
    let root = at(server, "/.well-known/oauth-protected-resource");
    match inserted == root {
        true => vec![root],
        false => vec![inserted, root],
    }
}

/// Of an authorization server: RFC 8414 with the path inserted, OpenID with the path inserted, OpenID
/// with the path before.
pub(crate) fn of_issuer(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut places = vec![
        inserted(issuer, "oauth-authorization-server"),
        inserted(issuer, "openid-configuration"),
    ];
    if !path.is_empty() {
        places.push(at(issuer, &format!("{path}/.well-known/openid-configuration")));
    }
    places
}

fn inserted(url: &Url, name: &str) -> Url {
    at(url, &format!("/.well-known/{name}{}", url.path().trim_end_matches('/')))
}

fn at(url: &Url, path: &str) -> Url {
    let mut place = url.clone();
    place.set_query(None);
    place.set_fragment(None);
    place.set_path(path);
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(urls: Vec<Url>) -> Vec<String> {
        urls.into_iter().map(String::from).collect()
    }

    #[test]
    fn places_are_tried_in_the_order_of_the_specification() {
        let url = |text: &str| Url::parse(text).unwrap();
        assert_eq!(
            texts(of_resource(&url("https://a.example/public/mcp?x=1"))),
            [
                "https://a.example/.well-known/oauth-protected-resource/public/mcp",
                "https://a.example/.well-known/oauth-protected-resource",
            ]
        );
        assert_eq!(
            texts(of_resource(&url("https://a.example/"))),
            ["https://a.example/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            texts(of_issuer(&url("https://a.example/tenant1/"))),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant1",
                "https://a.example/.well-known/openid-configuration/tenant1",
                "https://a.example/tenant1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            texts(of_issuer(&url("https://a.example"))),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration",
            ]
        );
    }
}
