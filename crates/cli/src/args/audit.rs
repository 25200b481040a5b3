//! What can be asked of the log of calls.

use clap::{Args, Subcommand};
use toolgate_audit::KeptHead;

use toolgate_terminal::moment::SinceMoment;

/// How calls end; how a person is done with being asked about one; what comes of what a confined server
/// wants to reach.
const OUTCOMES: [&str; 13] = [
    "done",
    "tool_error",
    "input_required",
    "task",
    "aborted",
    "failed",
    "approved",
    "denied",
    "expired",
    "withdrawn",
    "ignored",
    "connected",
    "refused",
];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<AuditVerb>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

/// Which calls.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Not before: so long ago (2h, 3d), or a time in RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = SinceMoment::parse)]
    pub(crate) since: Option<SinceMoment>,
    /// Only calls of this server
    #[arg(long, value_name = "ID")]
    pub(crate) server: Option<String>,
    /// Only calls of the tool that the server calls so
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only calls that ended so, or whose question to a person did; `connected` and `refused` are what came
    /// of what a confined server wanted to reach
    #[arg(long, value_name = "WORD", value_parser = OUTCOMES)]
    pub(crate) outcome: Option<String>,
    /// Only calls of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only calls with this text in their record, in exactly these letters
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,
    /// The most calls that are shown; the newest are
    #[arg(long, value_name = "N", default_value = "50",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Go on with what is recorded from now on, until Ctrl-C
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditVerb {
    /// Show everything that was recorded of one call
    #[command(after_help = "Example:\n  toolgate audit show 5d2f0c9a11be-0")]
    Show {
        /// The reference that an error or the list of calls names
        #[arg(value_name = "CORRELATION_ID")]
        correlation: String,
    },
    /// Check that no record was changed or taken out; exit 1 when one was
    ///
    /// Old records are taken away by the rules under [audit]; each time a record says which, until
    /// when and by which rule, and is held against the rules that are configured now.
    #[command(after_help = "Examples:\n  toolgate audit verify\n  \
        toolgate audit verify --head \"$(cat head-from-yesterday)\"\n  \
        toolgate audit verify --retention-days 30")]
    Verify {
        /// A head from earlier that was kept elsewhere: the log must still lead to it
        #[arg(long, value_name = "HEAD", value_parser = head)]
        head: Option<KeptHead>,
        /// The fewest days that records were ever kept, where it was fewer than is configured now
        #[arg(long, value_name = "DAYS")]
        retention_days: Option<u32>,
        /// The same for the bytes that were kept at most
        #[arg(long, value_name = "BYTES")]
        retention_bytes: Option<u64>,
    },
    /// Print every record as a line of JSON, and the head as the last
    #[command(after_help = "Example:\n  toolgate audit export --since 7d > calls.jsonl")]
    Export {
        /// Not before: so long ago (2h, 3d), or a time in RFC 3339
        #[arg(long, value_name = "WHEN", value_parser = SinceMoment::parse)]
        since: Option<SinceMoment>,
    },
}

fn head(text: &str) -> Result<KeptHead, String> {
    let parsed = KeptHead::parse(text);
    parsed
        .ok_or_else(|| "write it as `toolgate audit verify` does: SEQ:HASH:TIME:FIRST:TIME".into())
}
