//! From what is asked to whether it may be done. Pure: no clock, no I/O, the same answer each time.

use toolgate_types::{Definition, Operation, ServerId, Trust};

use crate::Permitted;

/// What is decided about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub server: &'a ServerId,
    pub trust: Trust,
    pub operation: &'a Operation,
    /// The tool's definition, where it is a tool that is called.
    pub definition: Option<&'a Definition>,
}

/// What comes of it, with the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Allow { rule: &'static str },
    Ask { rule: &'static str },
    Deny { rule: &'static str },
}

/// Why something may not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this is not permitted ({rule})")]
    Denied { rule: &'static str },
    #[error("this needs a person's approval, and there is nobody to ask ({rule})")]
    NoChannel { rule: &'static str },
}

/// The key to a guard that lets everything pass.
///
/// It stands in until there is a policy. `cargo xtask tidy` holds that only tests, examples,
/// benchmarks and the flag `--insecure-no-policy` make one.
#[derive(Debug, Clone)]
pub struct AllowEverything(());

impl AllowEverything {
    pub fn insecure_no_policy() -> Self {
        Self(())
    }

    /// The proof without a decision.
    pub fn permit<T>(&self, what: T) -> Permitted<T> {
        Permitted::new(what)
    }
}

/// Decides and permits.
#[derive(Debug, Clone, Default)]
pub struct Guard(Option<AllowEverything>);

impl Guard {
    pub fn without_policy(key: AllowEverything) -> Self {
        Self(Some(key))
    }

    pub fn decide(&self, _: &Subject<'_>) -> Decision {
        match &self.0 {
            Some(_) => Decision::Allow { rule: "insecure-no-policy" },
            None => Decision::Deny { rule: "no policy" },
        }
    }

    /// Turns a decision into the proof; asking a person comes here.
    pub async fn approve(
        &self,
        decision: Decision,
        operation: Operation,
    ) -> Result<Permitted<Operation>, Refusal> {
        match decision {
            Decision::Allow { .. } => Ok(Permitted::new(operation)),
            Decision::Ask { rule } => Err(Refusal::NoChannel { rule }),
            Decision::Deny { rule } => Err(Refusal::Denied { rule }),
        }
    }
}
