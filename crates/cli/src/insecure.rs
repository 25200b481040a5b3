//! The one place that lets calls pass without a policy.
//!
//! There is no policy yet, and a guard without one refuses everything. Whoever types
//! `--insecure-no-policy` takes the decision on themselves. This file and the flag go when the
//! policy comes.

use toolgate_host::{AllowEverything, Guard};

/// Said with every refusal that the flag would lift.
pub(crate) const HINT: &str = "there is no policy yet; --insecure-no-policy calls without one";

/// The guard of a run: it refuses, unless the person typed the flag.
pub(crate) fn guard(insecure_no_policy: bool) -> Guard {
    match insecure_no_policy {
        true => Guard::without_policy(AllowEverything::insecure_no_policy()),
        false => Guard::default(),
    }
}
