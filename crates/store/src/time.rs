//! Times as they are kept: in an integer with a sign, since SQLite has no other.

/// The time itself, or the latest there is. Rows are found and pruned by their time, and one that
/// wrapped around would be the oldest of all.
pub(crate) fn kept(at: u64) -> u64 {
    at.min(i64::MAX.cast_unsigned())
}
