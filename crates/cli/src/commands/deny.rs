//! `toolgate deny <ref>`: a call that waits is not made, and its caller may be told why.

use toolgate_terminal::CommandOutput;
use toolgate_types::ApprovalChoice;

use super::approve::{say, typed};
use crate::args::DenyArgs;
use crate::failure::CommandResult;
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: DenyArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let DenyArgs { reference, reason } = arguments;
    say(&typed(&reference), ApprovalChoice::Deny, reason, None, surroundings, output)
}
