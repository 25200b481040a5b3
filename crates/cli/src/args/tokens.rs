//! What can be asked of the tokens that clients bring.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use toolgate_store::TokenName;
use toolgate_types::RoleId;

use toolgate_terminal::moment::SinceMoment;

#[derive(Debug, Subcommand)]
pub(crate) enum TokenVerb {
    /// Make a token for a client; it is printed once and kept only as its hash
    #[command(
        after_help = "Examples:\n  toolgate token create ci --role reviewer --expires 30d\n  \
        (umask 077 && toolgate token create laptop > token)"
    )]
    Create(TokenCreate),
    /// List tokens and what they may do; never the tokens themselves
    #[command(after_help = "Example:\n  toolgate token list --json")]
    List,
    /// End a token; a running gateway refuses it within seconds
    #[command(after_help = "Example:\n  toolgate token revoke ci")]
    Revoke {
        /// The token's name
        #[arg(value_parser = TokenName::parse)]
        name: TokenName,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TokenCreate {
    /// What the token is called in lists and records: letters, digits, `_` and `-`
    #[arg(value_parser = TokenName::parse)]
    pub(crate) name: TokenName,
    /// A role its bearer may act as (repeatable); without any, every role and none
    #[arg(long = "role", value_name = "ROLE", value_parser = RoleId::parse)]
    pub(crate) roles: Vec<RoleId>,
    /// The settings below `[gateway.clients]` that hold for its bearer
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) client: Option<String>,
    /// A person sees the forms that its client shows: approvals may be asked for in them
    #[arg(long)]
    pub(crate) forms: bool,
    /// Its bearer is you: it uses the servers that your other clients use, not its own
    #[arg(long, conflicts_with = "roles")]
    pub(crate) mine: bool,
    /// When it ends: after so long (12h, 30d), or at a time in RFC 3339; never, if left out
    #[arg(long, value_name = "WHEN", value_parser = TokenExpiry::parse)]
    pub(crate) expires: Option<TokenExpiry>,
}

/// Until when, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenExpiry {
    /// Since 1970.
    At(u64),
    After(u64),
}

impl TokenExpiry {
    /// Written as times in the past are, and read the other way.
    fn parse(text: &str) -> Result<Self, String> {
        match SinceMoment::parse(text) {
            Ok(SinceMoment::At(at)) => Ok(Self::At(at)),
            Ok(SinceMoment::Ago(0)) => Err("it must last for some time".to_owned()),
            Ok(SinceMoment::Ago(long)) => Ok(Self::After(long)),
            Err(_) => Err("write for how long, as in 12h or 30d, or until when, as in \
                           2030-01-31T12:00:00Z"
                .to_owned()),
        }
    }

    pub(crate) fn from(self, now: u64) -> u64 {
        match self {
            Self::At(at) => at,
            Self::After(long) => now.saturating_add(long),
        }
    }
}
