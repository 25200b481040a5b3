//! Which host a command needs.

/// Which host a command needs. Where nothing else is said: one that lists what all servers have now.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostWish<'a> {
    /// Only this server; no other is in the host, so none is started.
    pub only: Option<&'a str>,
    /// The tool of it that is meant, where one is.
    pub tool: Option<&'a str>,
    /// For this role, or for one step of a workflow (`workflow/role/step`). Its bundles may name other servers than the one that is meant, so all are in
    /// the host then; those that are not meant are still not started.
    pub role: Option<&'a str>,
    /// Whether lists may come from the last run.
    pub cached: bool,
    /// Whether something is carried out, and the person is there for what servers ask meanwhile.
    pub answers: bool,
    /// Whether that may wait for a person's approval.
    pub waits: bool,
    /// Whether it only says why: also of a server that the person switched off.
    pub explains: bool,
}
