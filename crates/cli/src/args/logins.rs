//! What can be asked of logins at servers.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// The server's id
    pub(crate) id: String,
    /// Open no browser: show the link, and take the address that a browser ends on
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Show a code to type in on any device, where the server's login takes one
    #[arg(long)]
    pub(crate) device: bool,
    /// What the tokens should be good for, in place of what the server asks for
    #[arg(long, value_name = "SCOPES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) scopes: Option<String>,
    /// One of several accounts of yours there
    #[arg(long, value_name = "NAME", value_parser = account)]
    pub(crate) account: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LogoutArgs {
    /// The server's id
    pub(crate) id: String,
    /// One of several accounts of yours there
    #[arg(long, value_name = "NAME", value_parser = account)]
    pub(crate) account: Option<String>,
    /// The login of somebody else who calls this gate, as `auth list` names them
    #[arg(long, value_name = "PRINCIPAL")]
    pub(crate) of: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthVerb {
    /// List the logins that are kept; never their tokens
    List,
}

/// Letters, digits, `_`, `-` and `.`: it stands in a name of a file's record.
fn account(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match !text.is_empty() && text.len() <= 64 && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => {
            Err("an account is called by up to 64 letters, digits, `_`, `-` and `.`".to_owned())
        }
    }
}
