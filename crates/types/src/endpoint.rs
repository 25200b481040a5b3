//! The address of a remote server: a real URL, kept beside the spelling it was given in.
//!
//! The spelling matters: identifiers in OAuth are compared as strings, and a URL type adds a `/`.

use std::fmt;

use url::Url;

use crate::ConfigText;

/// An `http` or `https` URL without credentials in it.
#[derive(Clone)]
pub struct Endpoint {
    original: ConfigText,
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
    pub fn parse(original: ConfigText) -> Result<Self, EndpointError> {
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
    pub fn original(&self) -> &ConfigText {
        &self.original
    }

    /// The URL as it stands in the file, query and all: for the person who decides whether it may be
    /// dialled, and for nobody else.
    pub fn written(&self) -> &str {
        self.original.written()
    }

    /// What a person may see: query values are stars, since keys are often passed there.
    pub fn shown(&self) -> String {
        let shown = self.original.shown();
        let Some((base, query)) = shown.split_once('?') else { return shown.to_owned() };
        let masked: Vec<String> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((_, value)) if is_template(value) => pair.to_owned(),
                Some((key, _)) => format!("{key}={}", ConfigText::STARS),
                None if is_template(pair) => pair.to_owned(),
                None => ConfigText::STARS.to_owned(),
            })
            .collect();
        format!("{base}?{}", masked.join("&"))
    }
}

/// Whether a text is one variable and nothing else.
fn is_template(text: &str) -> bool {
    let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| crate::EnvName::parse(name).is_ok())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        let text = ConfigText::expanded(url.to_owned(), url.replace("${X}", "x"));
        Endpoint::parse(text).unwrap().shown()
    }

    #[test]
    fn nothing_of_a_query_is_shown_but_names_and_variables() {
        assert_eq!(shown("https://a/mcp?key=s3cret&b=${X}"), "https://a/mcp?key=***&b=${X}");
        assert_eq!(shown("https://a/mcp?s3cret"), "https://a/mcp?***");
        assert_eq!(shown("https://a/mcp?k=${X}s3cret"), "https://a/mcp?k=***");
        assert_eq!(shown("https://a/mcp"), "https://a/mcp");
    }

    #[test]
    fn the_spelling_stays_beside_the_url() {
        let endpoint = Endpoint::parse(ConfigText::Plain("https://A.example".into())).unwrap();
        assert_eq!(endpoint.original().expose(), "https://A.example");
        assert_eq!(endpoint.url().as_str(), "https://a.example/");
    }
}
