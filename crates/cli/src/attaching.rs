//! A way to the person's daemon: the one that runs, or one that is started for it.
//!
//! Plain blocking calls, for a process that does nothing else meanwhile. What goes over the
//! connection afterwards is for others.

mod greeting;
mod lines;
mod person;
mod starting;
mod version;

use toolgate_gateway::socket::hello::Hello;

use crate::failure::Failure;
use crate::rundir::RunFolder;
pub(crate) use greeting::{Attached, Daemon, check_peer};
use greeting::{Greeted, greet};
pub(crate) use lines::Lines;
pub(crate) use person::Person;
pub(crate) use starting::wait_for_the_last;

/// How often a daemon may end while we say hello before something else must be wrong.
const TRIES: usize = 5;

/// Attaches to the daemon of this person.
pub(crate) fn attach(person: &Person, hello: &Hello) -> Result<Attached, Failure> {
    let folder = RunFolder::open(person.variables())?;
    for _ in 0..TRIES {
        let stream = match starting::connect(&folder)? {
            Some(stream) => stream,
            None => starting::start(&folder, person)?,
        };
        match greet(stream, hello, person)? {
            Greeted::Attached(attached) => return Ok(*attached),
            Greeted::Gone => {}
        }
    }
    Err(Failure::new("the daemon ends each time before it answers")
        .hint("its log says why: see the folder `logs` where state is kept"))
}

/// Has a daemon of this person run.
pub(crate) fn start(person: &Person) -> Result<(), Failure> {
    let folder = RunFolder::open(person.variables())?;
    starting::start(&folder, person).map(drop)
}
