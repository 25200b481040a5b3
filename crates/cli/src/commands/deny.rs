//! `toolgate deny <ref>`: a call that waits is not made, and its caller may be told why.

use toolgate_types::ApprovalChoice;

use super::approve::{say, typed};
use crate::args::Deny;
use crate::failure::Done;
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: Deny, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Deny { reference, reason } = arguments;
    say(&typed(&reference), ApprovalChoice::Deny, reason, None, surroundings, output)
}
