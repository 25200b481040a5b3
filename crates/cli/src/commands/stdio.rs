//! `toolgate stdio`: what a client starts to reach the daemon.
//!
//! Who the person is comes from the process that started it; what it is told itself counts as a
//! project's word, and is only handed on.

use std::io;
use std::os::fd::AsFd as _;

use toolgate_config::VariableNames;
use toolgate_control::Person;
use toolgate_control::hello::{PROTOCOL, ShimHello};
use toolgate_control::procfs::ParentProcess;
use toolgate_control::relay::{self, RelayEnds};
use toolgate_daemon::run_standalone;
use toolgate_sandbox::give_back_quiet_memory;
use toolgate_terminal::{
    CommandOutput, ForClientAsync, OutputStream, PrintableText, ProtocolOutput,
};
use toolgate_types::{RoleId, did_you_mean};

use crate::args::{ScopeArg, StdioArgs};
use crate::console::CommandConsole;
use crate::daemon_starter::ThisProgram;
use crate::failure::{CliFailure, CommandResult};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: StdioArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let parent = ParentProcess::of_this_process();
    let person = Person::behind(parent.as_ref(), &surroundings.variables);
    let is_alone = arguments.standalone;
    let role = arguments.role.clone();
    let hello = hello(arguments, surroundings);
    if is_alone {
        let value = |name: &str| person.value_of(name).map(str::to_owned);
        let settings = surroundings.of_person(person.variables()).run_settings();
        let open = || Ok((tokio::io::stdin(), ForClientAsync::open()?));
        return Ok(run_standalone(&hello, value, &settings, &mut CommandConsole(output), open)?);
    }
    let ends = relay_ends()
        .map_err(|error| CliFailure::new(format!("cannot use the standard streams: {error}")))?;
    Ok(relay::run(person, hello, ends, |failure| {
        let CliFailure { message, hint, .. } = failure.into();
        let hint = hint.or_else(|| meant_role(role.as_deref()?, surroundings));
        output.failure(&message, hint.as_deref());
    }))
}

/// The role that was probably meant, where none is called so.
fn meant_role(typed: &str, surroundings: &Surroundings) -> Option<String> {
    let roles = surroundings.load(ScopeArg::Effective).config.roles;
    let known = || roles.keys().map(RoleId::as_str);
    did_you_mean(typed, known()).filter(|_| known().all(|role| role != typed))
}

/// The standard streams themselves, with no buffer of the library before them.
fn relay_ends() -> io::Result<RelayEnds> {
    let input = io::stdin().as_fd().try_clone_to_owned()?.into();
    let output = Box::new(ProtocolOutput::open()?);
    let warn = |warning: &str| {
        let _ =
            OutputStream::Remarks.put(&PrintableText::line(&format!("warning: {warning}")).ended());
    };
    let (starter, warn) = (Box::new(ThisProgram), Box::new(warn));
    // There is a shim for each window, and most of the time it waits.
    Ok(RelayEnds { input, output, starter, warn, in_a_lull: give_back_quiet_memory })
}

fn hello(arguments: StdioArgs, surroundings: &Surroundings) -> ShimHello {
    let said = |names: VariableNames| names.lookup(&surroundings.variables).map(|(_, said)| said);
    let config = surroundings.options().path;
    let config = config.or_else(|| said(VariableNames::PROJECT_FILE).map(Into::into));
    ShimHello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        workspace: surroundings.cwd.clone(),
        role: arguments.at.acting(arguments.role.as_deref()),
        client: arguments.client,
        config: config.map(|path| surroundings.cwd.join(path)),
        inline: said(VariableNames::INLINE_JSON).map(str::to_owned),
    }
}
