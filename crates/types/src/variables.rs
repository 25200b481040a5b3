//! Variables of an environment, handed around instead of looked up.

use std::collections::BTreeMap;

/// Names and values; what is not UTF-8 cannot be named in a configuration and is left out.
pub type Variables = BTreeMap<String, String>;

/// What a process that is started gets of its starter's, unless more or less is wanted for it.
pub const BASELINE_VARIABLES: [&str; 10] =
    ["HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"];

/// What a program needs to reach the network of its person: whose certificates it believes, and through
/// whom it goes. A process that is started gets them with [`BASELINE_VARIABLES`]. They are a person's and
/// never a project's: who sets them for a server reads along.
pub const NETWORK_VARIABLES: [&str; 10] = [
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// Those of [`NETWORK_VARIABLES`] that hold a URL, perhaps with a password in it.
pub const PROXY_VARIABLES: [&str; 4] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];
