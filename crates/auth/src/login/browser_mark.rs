//! What a browser is given to keep while it is away, so that what it brings back is known to be its own.

use toolgate_types::Secret;

use super::LoginError;
use super::authorization_attempt::random_text;
use super::callback::is_same;

/// Nobody can guess it.
#[derive(Debug, Clone)]
pub struct BrowserMark(Secret);

impl BrowserMark {
    pub fn new() -> Result<Self, LoginError> {
        random_text().map(Self)
    }

    /// For the browser, and for nobody else.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Whether a browser brings this one.
    pub fn is(&self, brought: &str) -> bool {
        is_same(brought, self.0.expose())
    }
}
