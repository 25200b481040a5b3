//! What can be typed after `serve`.

use std::net::SocketAddr;

use clap::Args;
use toolgate_config::GivenStep;
use toolgate_types::config::{CallerAuth, Naming};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen on this address instead of the configured one; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// How callers prove who they are: token, oauth, both, or none, which is for this machine alone
    #[arg(long, value_name = "HOW", value_parser = caller_auth)]
    pub(crate) auth: Option<CallerAuth>,
    /// The form of the names that clients see: joined, hashed, qualified, dotted or bare
    #[arg(long, value_name = "FORM", value_parser = naming)]
    pub(crate) naming: Option<Naming>,
    /// Give a step of a workflow these bundles instead of the configured ones, for as long as this
    /// runs; can be given more than once
    #[arg(long, value_name = "WORKFLOW/ROLE/STEP=BUNDLE,...", value_parser = GivenStep::parse)]
    pub(crate) step_bundles: Vec<GivenStep>,
}

/// The forms of names that can be typed.
fn naming(word: &str) -> Result<Naming, String> {
    let known = || Naming::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
    Naming::parse(word).ok_or_else(|| format!("one of {}", known()))
}

/// The ways to prove who one is that can be typed.
fn caller_auth(word: &str) -> Result<CallerAuth, String> {
    CallerAuth::parse(word).ok_or_else(|| "one of token, oauth, both, none".to_owned())
}
