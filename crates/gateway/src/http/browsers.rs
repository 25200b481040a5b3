//! How a browser is answered that comes to a page of ours: nothing is loaded, run, framed, kept or told to
//! the next page.

use async_trait::async_trait;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use toolgate_host::ActingAs;
use toolgate_types::ServerId;

use super::body::{ResponseBody, empty};
use crate::known_caller::KnownCaller;
use crate::login_pages::{PageAnswer, PageVisit, ServerSight};
use crate::place::PlaceAddress;
use crate::state::GatewayState;

/// What the path of every such page begins with, behind that of the gateway.
const BELOW: &str = "/login/";

/// What a browser is shown, where a person logs in. Who that is comes out there.
pub(super) async fn login_page(
    shared: &GatewayState,
    parts: &Parts,
) -> Option<Response<ResponseBody>> {
    let (pages, resource) =
        (shared.settings.login_pages.as_ref()?, shared.settings.resource.as_ref()?);
    let page = page_of(parts.uri.path(), resource.path())?;
    if parts.method != Method::GET {
        return None;
    }
    let is_encrypted = resource.is_encrypted();
    let query = parts.uri.query().unwrap_or_default();
    let visit = PageVisit { page, query, kept: kept(&parts.headers, is_encrypted) };
    let answer = pages.visited(visit, shared).await;
    Some(answer.into_response(is_encrypted))
}

/// How long a browser keeps what it is given.
const KEPT_SECONDS: u32 = 600;

/// What it is kept under: encrypted connections have a name that no other host can set.
fn cookie_name(is_encrypted: bool) -> &'static str {
    if is_encrypted { "__Host-toolgate-login" } else { "toolgate-login" }
}

/// The page that a path leads to; `public` is the path of the gateway's own URL, which a proxy in front
/// may have taken away.
fn page_of<'p>(path: &'p str, public: &str) -> Option<&'p str> {
    let own = path.strip_prefix(public).filter(|own| own.starts_with('/')).unwrap_or(path);
    own.strip_prefix(BELOW)
}

/// What a browser brought back. One that brings two was given one of them by somebody else.
fn kept(headers: &HeaderMap, is_encrypted: bool) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|cookies| cookies.split(';'));
    let mut ours = pairs.filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == cookie_name(is_encrypted)).then_some(value)
    });
    ours.next().filter(|_| ours.next().is_none())
}

impl PageAnswer {
    fn into_response(self, is_encrypted: bool) -> Response<ResponseBody> {
        let mut response = match self {
            Self::Page { status, html } => {
                let mut response = Response::new(ResponseBody::Whole(html.into()));
                *response.status_mut() = status;
                let html = HeaderValue::from_static("text/html; charset=utf-8");
                response.headers_mut().insert(header::CONTENT_TYPE, html);
                response
            }
            Self::Elsewhere { to, keeps } => {
                let secure = if is_encrypted { "; Secure" } else { "" };
                let name = cookie_name(is_encrypted);
                // Lax: it is to be there when a browser is sent back by another site.
                let cookie = format!(
                    "{name}={keeps}; Path=/; Max-Age={KEPT_SECONDS}; HttpOnly; SameSite=Lax{secure}"
                );
                let mut response = empty(StatusCode::SEE_OTHER);
                let headers = response.headers_mut();
                for (name, value) in [(header::LOCATION, to), (header::SET_COOKIE, cookie)] {
                    if let Ok(value) = HeaderValue::try_from(value) {
                        headers.insert(name, value);
                    }
                }
                response
            }
        };
        let headers = response.headers_mut();
        for (name, value) in [
            (
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; \
                 base-uri 'none'; form-action 'none'",
            ),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-store"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::X_FRAME_OPTIONS, "DENY"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

#[async_trait]
impl ServerSight for GatewayState {
    async fn sees(&self, known: &KnownCaller, server: &ServerId) -> bool {
        let address =
            |acting| PlaceAddress { acting, server: Some(server.clone()), is_empty: false };
        let all = match &known.roles {
            None => vec![address(None)],
            Some(roles) => {
                roles.iter().map(|role| address(Some(ActingAs::Role(role.clone())))).collect()
            }
        };
        for address in all {
            if self.place(known, None, address).await.is_ok() {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_behind_the_path_of_the_gateway() {
        for (path, public, page) in [
            ("/login/github", "", Some("github")),
            ("/tools/login/github", "/tools", Some("github")),
            ("/login/github", "/tools", Some("github")),
            ("/toolslogin/github", "/tools", None),
            ("/login", "", None),
            ("/mcp", "", None),
        ] {
            assert_eq!(page_of(path, public), page, "{path}");
        }
    }

    #[test]
    fn a_browser_with_two_of_them_has_none() {
        let kept_in = |cookies: &[&'static str], is_encrypted| {
            let mut headers = HeaderMap::new();
            for cookie in cookies {
                headers.append(header::COOKIE, HeaderValue::from_static(cookie));
            }
            kept(&headers, is_encrypted).map(str::to_owned)
        };
        assert_eq!(kept_in(&["a=b; toolgate-login=x"], false).as_deref(), Some("x"));
        assert_eq!(kept_in(&["toolgate-login=x; toolgate-login=y"], false), None);
        assert_eq!(kept_in(&["toolgate-login=x", "toolgate-login=y"], false), None);
        assert_eq!(kept_in(&["toolgate-login=x"], true), None, "anybody could have set that");
        assert_eq!(kept_in(&["__Host-toolgate-login=z"], true).as_deref(), Some("z"));
    }
}
