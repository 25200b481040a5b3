//! What a server says of how to use it, as far as it may be passed on.

/// What may be passed on of how to use a server, whether it runs or not.
#[derive(Debug, Default)]
pub(crate) struct KnownInstructions {
    pub(crate) words: Option<String>,
    /// The server said it in this run; otherwise it is from an earlier one.
    pub(crate) is_spoken: bool,
}
