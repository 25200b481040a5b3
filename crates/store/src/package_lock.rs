//! Which packages a server is made of: every version and every hash, fixed when they were first fetched.

use toolgate_types::Digest;

/// The packages of one server. Whose it is, a [`crate::PinKey`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageLock {
    /// The name of what the entry asked for. For anything else the lock says nothing.
    pub wanted: Digest,
    /// What came of it, in the words of whoever fetches it.
    pub lock: String,
}
