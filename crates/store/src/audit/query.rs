//! Which rows somebody wants to see.

use super::AuditRow;
use crate::time;

/// Everything that is given must hold; the default excludes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// Not before this time, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Not after this time.
    pub until: Option<u64>,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub outcome: Option<String>,
    pub session: Option<String>,
    pub correlation: Option<String>,
    /// Part of the body or of the name of server or tool, in exactly these letters.
    pub grep: Option<String>,
    /// Only rows with a higher number: what came since the last look.
    pub after_sequence: Option<u64>,
    pub limit: usize,
    /// Which end the limit leaves out, and the order of what is found.
    pub newest_first: bool,
}

impl Default for AuditQuery {
    fn default() -> Self {
        Self {
            since: None,
            until: None,
            server: None,
            tool: None,
            outcome: None,
            session: None,
            correlation: None,
            grep: None,
            after_sequence: None,
            limit: usize::MAX,
            newest_first: false,
        }
    }
}

impl AuditQuery {
    /// For a store that has no SQL to ask it.
    pub(crate) fn finds(&self, row: &AuditRow) -> bool {
        let Self {
            since,
            until,
            server,
            tool,
            outcome,
            session,
            correlation,
            grep,
            after_sequence,
            limit: _,
            newest_first: _,
        } = self;
        let entry = &row.entry;
        let is =
            |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        let mut texts = [&entry.server, &entry.tool].into_iter().flatten().chain([&entry.body]);
        since.is_none_or(|since| entry.at >= time::kept(since))
            && until.is_none_or(|until| entry.at <= until)
            && is(server, &entry.server)
            && is(tool, &entry.tool)
            && is(outcome, &entry.outcome)
            && is(session, &entry.session)
            && correlation.as_ref().is_none_or(|wanted| *wanted == entry.correlation)
            && grep.as_ref().is_none_or(|part| texts.any(|text| text.contains(part)))
            && after_sequence.is_none_or(|after| row.sequence > after)
    }
}
