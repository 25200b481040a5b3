//! One rule about which servers may be used. It compares whole words and whole path segments, never
//! parts of them.

use std::fmt;

use toolgate_types::{ConfigText, Endpoint, EndpointError};

/// Servers that may be used.
#[derive(Debug, Clone)]
pub enum ServerRule {
    /// Local processes of this program whose arguments begin with these.
    Command { program: String, arguments: Vec<String> },
    /// Remote servers at this origin, at this path or below it.
    Url(Endpoint),
}

/// Why a text is no such rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("a command rule names at least the program")]
    NoProgram,
    #[error(transparent)]
    Url(#[from] EndpointError),
    #[error("a URL rule has no query")]
    Query,
}

impl ServerRule {
    /// The program and its first arguments, as they stand in a server's entry.
    pub fn command(words: impl IntoIterator<Item = String>) -> Result<Self, RuleError> {
        let mut words = words.into_iter();
        match words.next().filter(|program| !program.is_empty()) {
            Some(program) => Ok(Self::Command { program, arguments: words.collect() }),
            None => Err(RuleError::NoProgram),
        }
    }

    pub fn url(text: &str) -> Result<Self, RuleError> {
        let endpoint = Endpoint::parse(ConfigText::Plain(text.to_owned()))?;
        if endpoint.url().query().is_some() {
            return Err(RuleError::Query);
        }
        Ok(Self::Url(endpoint))
    }

    pub(super) fn permits_process(&self, command: &ConfigText, args: &[ConfigText]) -> bool {
        let Self::Command { program, arguments } = self else { return false };
        let given = args.iter().map(ConfigText::expose);
        command.expose() == program
            && args.len() >= arguments.len()
            && given.zip(arguments).all(|(given, wanted)| given == wanted)
    }

    pub(super) fn permits_endpoint(&self, endpoint: &Endpoint) -> bool {
        let Self::Url(rule) = self else { return false };
        let (rule, url) = (rule.url(), endpoint.url());
        let is_same_origin = rule.scheme() == url.scheme()
            && rule.host_str() == url.host_str()
            && rule.port_or_known_default() == url.port_or_known_default();
        let wanted = rule.path().split('/').filter(|segment| !segment.is_empty());
        let mut given = url.path().split('/').filter(|segment| !segment.is_empty());
        is_same_origin
            && !hides_a_slash(url.path())
            && wanted.into_iter().all(|segment| given.next() == Some(segment))
    }
}

/// An encoded slash is one segment here and may be two at the server, `..` among them.
fn hides_a_slash(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.contains("%2f") || path.contains("%5c")
}

impl fmt::Display for ServerRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { program, arguments } => {
                write!(f, "{program}")?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
            }
            Self::Url(endpoint) => write!(f, "{endpoint}"),
        }
    }
}
