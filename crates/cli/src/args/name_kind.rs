//! What the name of something that is configured can be the name of.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NameKind {
    Servers,
    Roles,
    Tools,
    Tokens,
    Clients,
}

impl NameKind {
    pub(crate) const ALL: [Self; 5] =
        [Self::Servers, Self::Roles, Self::Tools, Self::Tokens, Self::Clients];

    /// What stands for one in a script until it is asked for.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Servers => "@servers@",
            Self::Roles => "@roles@",
            Self::Tools => "@tools@",
            Self::Tokens => "@tokens@",
            Self::Clients => "@clients@",
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        self.mark().trim_matches('@')
    }
}
