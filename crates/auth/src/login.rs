//! Logins at servers that want OAuth: what a server says about it, one login from the link in a browser
//! to the tokens, and the token for the next request, renewed in time.
//!
//! The rules are those of MCP's authorization, revisions 2025-11-25 and 2026-07-28. Requests and answers
//! are written and read here rather than by the SDK's `auth`, which was looked at in its version 3.8: it
//! keeps the resource that was discovered to itself, so that a renewal without a new discovery names
//! another one; it forgets a client's secret with the login; it goes on with servers that do not
//! advertise PKCE, and with endpoints that nobody published; its errors hold what servers answered; and it
//! brings a second HTTP client, one that dials what it likes (28 crates, six of them second versions).
//! Identifiers stay the strings that they came as: a URL type would add a slash to some.

mod authorization_attempt;
mod bearer_challenge;
mod browser_mark;
mod callback;
mod caller_tokens;
mod client_grant;
mod client_identity;
mod client_key;
mod client_registration;
mod device_login;
mod discovery;
mod endpoint_rule;
mod guarded_fetch;
mod login_error;
mod login_wish;
mod loopback_listener;
mod metadata;
#[cfg(test)]
mod played_token_endpoint;
mod renewal;
mod revocation;
mod scopes;
mod server_logins;
mod token_exchange;
mod token_request;
mod well_known;

pub use authorization_attempt::{AttemptRefused, AuthorizationAttempt};
pub use bearer_challenge::BearerChallenge;
pub use browser_mark::BrowserMark;
pub use callback::AuthorizationCallback;
pub use caller_tokens::CallerTokens;
pub use client_grant::client_login;
pub use client_identity::ClientIdentity;
pub use client_registration::can_be_registered;
pub use device_login::DeviceLogin;
pub(crate) use discovery::document;
pub use discovery::{LoginOffer, discover, offer_of_issuer};
pub use endpoint_rule::OauthEndpoint;
pub use guarded_fetch::{FetchFailure, GuardedFetch};
pub use login_error::LoginError;
pub use login_wish::LoginWish;
pub use loopback_listener::{LoginPage, LoopbackListener, WaitingBrowser};
pub use metadata::{AuthorizationServer, ProtectedResource};
pub use revocation::revoke;
pub use server_logins::ServerLogins;
pub use token_exchange::exchanged_token;
pub(crate) use token_request::post_form;
pub(crate) use well_known::of_issuer as issuer_places;
