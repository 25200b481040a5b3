//! The traces of a program that was built without them.

use std::time::Duration;

use toolgate_config::Variables;
use toolgate_types::{CallEnding, CallRef};

use crate::RunConsole;

/// Nothing.
#[derive(Debug)]
pub(crate) struct Traces;

impl Traces {
    pub(crate) fn begin(_: &Variables, _: &mut dyn RunConsole) -> Self {
        Self
    }

    pub(crate) fn ended(
        &self,
        _: &CallRef,
        _: Duration,
        _: CallEnding,
        _shown: impl Fn(&str) -> String,
    ) {
    }

    pub(crate) fn finish(&self, _: &mut dyn RunConsole) {}
}
