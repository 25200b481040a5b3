//! A layer of a configuration that counts for nothing, since it could not be read as a whole.

use toolgate_types::{Layer, visible};

use crate::problem::{Problem, Severity};

/// A layer that is there and of which nothing counts.
#[derive(Debug, Clone)]
pub struct FailedLayer {
    pub layer: Layer,
    /// The first reason.
    pub problem: Problem,
}

impl FailedLayer {
    pub(crate) fn of(layer: Layer, problems: &[Problem]) -> Option<Self> {
        let problem = problems.iter().find(|problem| problem.severity == Severity::Error)?;
        Some(Self { layer, problem: problem.clone() })
    }

    /// Where it is, for somebody who may not know this person's folders: the name of the file or
    /// variable, and the line.
    pub fn place(&self) -> String {
        let name = visible(&self.problem.source.short_name());
        match self.problem.line {
            0 => format!("`{name}`"),
            line => format!("`{name}`, line {line}"),
        }
    }
}
