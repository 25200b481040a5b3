//! `toolgate serve`: says that the gateway does not exist yet.

use crate::failure::{Done, Failure};

pub(crate) fn run() -> Done {
    Err(Failure::new("not yet: the gateway that serves tools to agents is still to come")
        .hint("what works today: add, list, get, test, import, connect, trust, config"))
}
