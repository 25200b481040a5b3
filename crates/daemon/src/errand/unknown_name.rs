//! What was typed and is called nothing: the sentence, and what was probably meant.

use toolgate_control::CommandFailure;
use toolgate_types::{Code, did_you_mean, visible};

/// Something that does not exist, with the nearest that does, or where to see them all.
pub fn unknown_name<'a>(
    message: &str,
    typed: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
    see: &str,
) -> CommandFailure {
    let hint = did_you_mean(typed, known);
    CommandFailure::new(format!("{message}: {}", visible(typed)))
        .hint(hint.unwrap_or_else(|| format!("see `{see}`")))
        .code(Code::NotFound)
}

/// A server that is not configured.
pub fn unknown_server<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> CommandFailure {
    unknown_name("MCP server not found", typed, known, "toolgate list")
}

/// A role that is not configured.
pub fn unknown_role<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>,
) -> CommandFailure {
    unknown_name("no such role is configured", typed, known, "toolgate config show")
}
