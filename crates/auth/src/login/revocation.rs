//! The end of a login at the authorization server (RFC 7009), where it offers one.

use toolgate_store::KeptLogin;
use toolgate_types::config::Oauth;

use super::client_identity::ClientIdentity;
use super::token_request::{host_of, post_form};
use super::{GuardedFetch, LoginError, OauthEndpoint};

/// Tells the authorization server that the tokens are not to count any more. `false`: it offers no way.
pub async fn revoke(
    login: &KeptLogin,
    configured: &Oauth,
    fetch: &dyn GuardedFetch,
    now: u64,
) -> Result<bool, LoginError> {
    let (Some(endpoint), Some(tokens)) = (&login.binding.revocation_endpoint, &login.tokens) else {
        return Ok(false);
    };
    let endpoint = OauthEndpoint::parse("revocation_endpoint", endpoint)?;
    let client = ClientIdentity::of_login(login, configured)?;
    // With the refresh token the grant goes, and most servers end all its access tokens by it.
    let refresh = tokens.refresh_token.as_ref().map(|token| (token, "refresh_token"));
    for (token, kind) in refresh.into_iter().chain([(&tokens.access_token, "access_token")]) {
        let parameters = [("token", token.expose()), ("token_type_hint", kind)];
        let (status, _) = post_form(&endpoint, &parameters, &client, fetch, now).await?;
        if !status.is_success() {
            let host = host_of(&endpoint);
            return Err(LoginError::Unexpected { host, what: status.to_string() });
        }
    }
    Ok(true)
}
