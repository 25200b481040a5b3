//! Calling without a policy is for tests, and for one flag until there is a policy.
//!
//! It goes by the name of the one constructor; tests, examples and benchmarks may use it.

use anyhow::Result;

use super::{over, shipped_code};
use crate::source::words;
use crate::{Finding, Repository};

const KEY: &str = "insecure_no_policy";

/// Where the key is made, and the one place that may use it.
const MAKER: &str = "crates/guard/src/decision.rs";
const FLAG: &str = "crates/cli/src/insecure.rs";

/// With this file there is a policy, and the flag must be gone.
const POLICY: &str = "crates/guard/src/rules.rs";

pub fn check(repository: &Repository) -> Result<Vec<Finding>> {
    let has_policy = repository.files().any(|file| file == POLICY);
    over(repository, repository.rust_files(), |file, text| check_text(file, text, has_policy))
}

pub fn check_text(file: &str, text: &str, has_policy: bool) -> Vec<Finding> {
    if file == MAKER || (file == FLAG && !has_policy) {
        return Vec::new();
    }
    let message = match has_policy {
        true => "there is a policy; nothing that ships may do without",
        false => "only crates/cli/src/insecure.rs and tests may do without a policy",
    };
    let code = shipped_code(file, text);
    // A field may be called so as long as the flag exists; making the key may not be anywhere.
    let counts = |after: &str| has_policy || after.starts_with('(');
    let uses = words(&code).filter(|(_, word, after)| *word == KEY && counts(after));
    uses.map(|(line, ..)| Finding::new(file, line, message)).collect()
}
