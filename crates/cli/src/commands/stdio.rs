//! `toolgate stdio`: what a client starts to reach the daemon.
//!
//! Who the person is comes from the process that started it; what it is told itself counts as a
//! project's word, and is only handed on.

use toolgate_config::VariableNames;
use toolgate_gateway::socket::hello::{Hello, PROTOCOL};

use crate::ancestry::Parent;
use crate::args::Stdio;
use crate::attaching::Person;
use crate::daemon::standalone;
use crate::failure::Done;
use crate::output::Output;
use crate::shim;
use crate::surroundings::Surroundings;

pub(crate) fn run(arguments: Stdio, surroundings: &Surroundings, output: &mut Output) -> Done {
    let parent = Parent::of_this_process();
    let person = Person::behind(parent.as_ref(), &surroundings.variables);
    let is_alone = arguments.standalone;
    let hello = hello(arguments, surroundings);
    if is_alone {
        let value = |name: &str| person.value_of(name).map(str::to_owned);
        return standalone(&hello, value, &surroundings.of_person(person.variables()), output);
    }
    shim::run(person, hello, output)
}

fn hello(arguments: Stdio, surroundings: &Surroundings) -> Hello {
    let said = |names: VariableNames| names.lookup(&surroundings.variables).map(|(_, said)| said);
    let config = surroundings.options().path;
    let config = config.or_else(|| said(VariableNames::PROJECT_FILE).map(Into::into));
    Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        workspace: surroundings.cwd.clone(),
        role: arguments.role,
        client: arguments.client,
        config: config.map(|path| surroundings.cwd.join(path)),
        inline: said(VariableNames::INLINE_JSON).map(str::to_owned),
    }
}
