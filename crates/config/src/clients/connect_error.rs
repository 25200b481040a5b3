//! Why a client cannot be pointed at Toolgate.

use super::KnownClient;
use super::files::ClientScope;

/// Why a client cannot be connected so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientConnectError {
    #[error("{} starts its servers itself and takes no URL", .client.title())]
    NoHttp { client: KnownClient },
    #[error("{} has no {} file for servers", .client.title(), .scope.as_str())]
    NoSuchFile { client: KnownClient, scope: ClientScope },
    #[error("the path of the executable is not absolute")]
    RelativeExecutable,
    #[error("the path of the executable is not UTF-8")]
    NotUtf8,
    #[error("{} would expand a variable in the {what}", .client.title())]
    Expanded { client: KnownClient, what: &'static str },
}
