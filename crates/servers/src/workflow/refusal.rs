//! Why a call gives nothing, in the words that its caller reads.

use toolgate_store::StoreError;

/// A call that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkflowRefusal {
    #[error("`{what}` is {length} bytes long; {most} is the most")]
    TooLong { what: &'static str, length: usize, most: usize },
    #[error("a plan has {most} steps at most, and this one {count}")]
    TooManySteps { count: usize, most: usize },
    #[error("`{0}` is empty")]
    Empty(&'static str),
    #[error(
        "there is no artifact `{0}` of yours in this workspace; it may be gone, they are kept for some days"
    )]
    Absent(String),
    #[error("`{0}` is no artifact: give its id, or its address `toolgate://artifact/<id>`")]
    Address(String),
    #[error("give lines or bytes, not both")]
    BothRanges,
    #[error("the range ends before it begins")]
    Range,
    #[error("{0} has no lines: read it by bytes")]
    NoLines(String),
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    #[error("{size} bytes are too many for a query; {most} is the most. Search it instead")]
    TooLarge { size: u64, most: u64 },
    #[error("the query failed: {0}")]
    Query(String),
    #[error("queries are not available here: {0}")]
    NoQueries(String),
    #[error("the query took too much time or memory and was ended")]
    QueryEnded,
    #[error(
        "the disk is full: nothing was written, and what was kept before is as it was. It works again by itself when there is room"
    )]
    DiskFull,
    #[error("what is kept cannot be reached: {0}")]
    Store(String),
}

impl From<StoreError> for WorkflowRefusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::DiskFull,
            other => Self::Store(other.to_string()),
        }
    }
}
