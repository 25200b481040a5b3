//! Variables of an environment, handed around instead of looked up.

use std::collections::BTreeMap;

/// Names and values; what is not UTF-8 cannot be named in a configuration and is left out.
pub type Variables = BTreeMap<String, String>;

/// What a process that is started gets of its starter's, unless more or less is wanted for it.
pub const BASELINE_VARIABLES: [&str; 10] =
    ["HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"];
