//! The traces of a program that was built without them.

use std::time::Duration;

use toolgate_config::Variables;
use toolgate_types::{CallRef, Ending};

use crate::RunConsole;

/// Nothing.
#[derive(Debug)]
pub struct Traces;

impl Traces {
    pub fn begin(_: &Variables, _: &mut dyn RunConsole) -> Self {
        Self
    }

    pub fn ended(&self, _: &CallRef, _: Duration, _: Ending, _shown: impl Fn(&str) -> String) {}

    pub fn finish(&self, _: &mut dyn RunConsole) {}
}
