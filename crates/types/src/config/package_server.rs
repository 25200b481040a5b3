//! A server that a package manager would fetch and start: `npx` and `uvx` as people write them.
//!
//! What they mean is said here once, so that it can be fetched at one time and started at another. A
//! spelling that is not understood whole is an error: what was not understood cannot be held to anything.

mod command_words;
mod package_name;

use thiserror::Error;

use super::{SandboxProfile, StdioServer};
use crate::ConfigText;
pub use package_name::PackageName;

words! {
    /// Where packages come from.
    PackageSource {
        Npm = "npm",
        PyPi = "pypi",
    }
}

/// A server out of packages, as its entry describes it.
#[derive(Debug, Clone)]
pub struct PackageServer {
    pub source: PackageSource,
    /// The first is the one that the server is in, and there is always one.
    pub packages: Vec<PackageName>,
    pub program: PackageProgram,
    /// The version of Python that the entry wants.
    pub python: Option<String>,
    pub args: Vec<ConfigText>,
}

/// Which program of the packages is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageProgram {
    Named(String),
    /// The one that the first package has, or has under its own name.
    OfPackage,
}

/// Why an entry that fetches packages cannot be started behind walls. The entry is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadPackageServer {
    #[error("`{command}` is told no package")]
    NoPackage { command: &'static str },
    #[error("the option `{option}` of `{command}` is not known here")]
    UnknownOption { command: &'static str, option: String },
    #[error("the option `{option}` wants a value")]
    NoValue { option: String },
    #[error("`{0}` is not a package of a registry")]
    NotFromRegistry(String),
    #[error("a package is named by a secret")]
    Secret,
}

impl BadPackageServer {
    /// What the person can do, as a sentence of its own.
    pub const HINT: &'static str = "Name packages as the registry does (`npx -y name@1.2`, \
        `uvx --from name program`); or install the server yourself and write its program as the command.";
}

impl PackageServer {
    /// What an entry fetches and starts. `None` where that is nothing of ours: another command, or an
    /// entry without walls, which runs what it says.
    pub fn of(stdio: &StdioServer) -> Result<Option<Self>, BadPackageServer> {
        match stdio.confinement.profile {
            SandboxProfile::Default => {}
            SandboxProfile::None | SandboxProfile::Seatbelt => return Ok(None),
        }
        command_words::read(stdio.command.expose(), &stdio.args).transpose()
    }
}

#[cfg(test)]
mod tests;
