//! The person who waits for an errand.

use async_trait::async_trait;
use serde_json::value::RawValue;
use toolgate_types::PrintedStream;

/// The channel over which a person is asked at a terminal, as records name it.
pub const TERMINAL_CHANNEL: &str = "terminal";

/// The person who waits, as far as there is something to see.
#[async_trait]
pub trait Onlooker: Send + Sync {
    fn doing(&self, what: &str);

    /// A server's report, as it came.
    fn report(&self, report: &RawValue);

    /// Whether anybody would see a server's reports.
    fn is_watched(&self) -> bool;

    /// Something that the person should know, unless they want nothing but data.
    fn remark(&self, words: &str);

    /// What a command printed, on its own standard output or its standard error. Done once it was shown: who
    /// shows it slowly slows the command.
    async fn printed(&self, stream: PrintedStream, bytes: Vec<u8>);

    /// Under which id the last call was recorded.
    fn correlation(&self) -> Option<String>;
}
