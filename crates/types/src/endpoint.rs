//! The address of a remote server: a real URL, kept beside the spelling it was given in.
//!
//! The spelling matters: identifiers in OAuth are compared as strings, and a URL type adds a `/`.

use std::fmt;

use url::Url;

use crate::Text;

/// An `http` or `https` URL without credentials in it.
#[derive(Clone)]
pub struct Endpoint {
    original: Text,
    url: Url,
}

/// Why a text is not an endpoint. Never repeats the text: it may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("not a URL: {0}")]
    NotAUrl(url::ParseError),
    #[error("the scheme `{0}` is not http or https")]
    Scheme(String),
    #[error("a URL cannot carry a user name or password")]
    Credentials,
    #[error("a URL cannot carry a fragment")]
    Fragment,
}

impl Endpoint {
    pub fn parse(original: Text) -> Result<Self, EndpointError> {
        let url = Url::parse(original.expose().trim()).map_err(EndpointError::NotAUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(EndpointError::Fragment);
        }
        Ok(Self { original, url })
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The URL exactly as it was configured.
    pub fn original(&self) -> &Text {
        &self.original
    }

    /// What a person may see: query values are stars, since keys are often passed there.
    pub fn shown(&self) -> String {
        let shown = self.original.shown();
        let Some((base, query)) = shown.split_once('?') else { return shown.to_owned() };
        let masked: Vec<String> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((key, value)) if !value.starts_with("${") => format!("{key}={}", Text::STARS),
                _ => pair.to_owned(),
            })
            .collect();
        format!("{base}?{}", masked.join("&"))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}
