//! What waits for the person: asked for, and answered.

use super::Commander;
use crate::approving::{ANSWER, Heard, LIST, Listed, Saying};
use crate::failure::Failure;

impl Commander {
    pub(crate) fn approvals(&self) -> Result<Listed, Failure> {
        self.ask(LIST, &())
    }

    pub(crate) fn say(&self, saying: &Saying) -> Result<Heard, Failure> {
        self.ask(ANSWER, saying)
    }
}
