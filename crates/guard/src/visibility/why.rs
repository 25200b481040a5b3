//! Why something is not seen, and why bundles do not resolve.

use std::fmt;
use std::sync::Arc;

use toolgate_types::{BundleId, RoleId, ServerId, SwitchScope, visible};

use crate::list::{ListRule, NameList};

/// Why something is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HiddenReason {
    /// No such server may be used: it is not configured, or not accepted.
    UnknownServer,
    /// The administrator has a list of servers, and this one is not in it.
    ServerNotPermitted(Arc<NameList>),
    Denied(ListRule),
    /// There is an allow list without it.
    NotAllowed(Arc<NameList>),
    /// The caller's address selects bundles, and none that holds it.
    NoBundle,
    /// Not among the tools that were accepted of an untrusted server.
    NotAccepted,
    /// No tool of this untrusted server was accepted yet.
    NothingAccepted,
    /// A resource or prompt of an untrusted server whose entry has no allow list for it.
    Unnamed,
    /// A URI with `.` or `..` in it, where lists say which URIs are meant.
    DotSegments,
    /// The caller's address is for another server alone.
    OtherServer,
    /// The person switched the server off.
    SwitchedOff(SwitchScope),
    /// The person uses a role that does not show it.
    NotInRole {
        role: RoleId,
        scope: SwitchScope,
        why: Box<HiddenReason>,
    },
}

impl fmt::Display for HiddenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownServer => f.write_str("no such server may be used"),
            Self::ServerNotPermitted(list) => write!(f, "the server is not in {list}"),
            Self::Denied(rule) => write!(f, "denied by {rule}"),
            Self::NotAllowed(list) => write!(f, "not in {list}"),
            Self::NoBundle => f.write_str("in no bundle that is selected"),
            Self::NotAccepted => {
                f.write_str("not among the tools that were accepted of this untrusted server")
            }
            Self::NothingAccepted => f.write_str(
                "the server is untrusted and none of its tools was accepted yet; \
                 `toolgate trust` shows them",
            ),
            Self::Unnamed => {
                f.write_str("the server is untrusted and its entry has no allow list with it")
            }
            Self::DotSegments => {
                f.write_str("the URI holds `.` or `..`, which lists cannot follow")
            }
            Self::OtherServer => f.write_str("the address is for another server alone"),
            Self::SwitchedOff(scope) => write!(
                f,
                "the server is off by a switch ({}); `toolgate on` brings it back",
                visible(&scope.to_string())
            ),
            Self::NotInRole { role, scope, why } => write!(
                f,
                "not in role `{role}`, which is in use ({}): {why}",
                visible(&scope.to_string())
            ),
        }
    }
}

/// Why the bundles of an address do not resolve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unresolvable {
    #[error("Unknown server '{server}' of bundle '{bundle}'")]
    UnknownServer { bundle: BundleId, server: ServerId },
    #[error(
        "bundle '{bundle}' is direct, and server '{server}' is untrusted: \
         make the bundle `meta`, or trust the server"
    )]
    UntrustedDirect { bundle: BundleId, server: ServerId },
    #[error(
        "bundle '{bundle}' names no allowed tools, and server '{server}' is untrusted: \
         give it `allow_tools`, or trust the server"
    )]
    UntrustedWithoutAllow { bundle: BundleId, server: ServerId },
}
