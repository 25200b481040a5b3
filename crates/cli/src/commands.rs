//! One file per verb; this page only sends each to its own.

mod add;
mod add_json;
mod agents;
mod approvals;
mod approve;
mod audit;
mod auth;
mod call;
mod complete;
mod completions;
mod config;
mod connect;
mod daemon;
mod demo;
mod deny;
mod disconnect;
mod doctor;
mod explain;
mod get;
mod import;
mod init;
mod list;
mod login;
mod login_place;
mod logout;
mod logs;
mod man;
mod off;
mod pins;
mod policy;
mod prompts;
mod remove;
mod resources;
mod restart;
mod sandbox;
mod secret;
mod serve;
mod server;
mod status;
mod stdio;
mod stop;
mod switch;
mod test;
mod token;
mod tools;
mod trust;
mod uninstall;
mod use_role;

use toolgate_control::reload_daemon;
use toolgate_daemon::refuse_to_agents;
use toolgate_terminal::CommandOutput;

use crate::args::{PinsVerb, SecretVerb, TopVerb, Verb};
use crate::failure::{CommandResult, Exit};
use crate::surroundings::Surroundings;
use crate::warm::WarmedServers;

pub(crate) fn run(
    verb: TopVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let (TopVerb::Verb(verb) | TopVerb::Mcp { verb }) = verb;
    if agents::may_have_it_done(&verb).is_none() {
        refuse_to_agents(&surroundings.variables, &agents::wish(&verb))?;
    }
    let (changes, warmed) = (changes(&verb), WarmedServers::after(&verb));
    let done = run_verb(verb, surroundings, output);
    if changes {
        reload_daemon(&surroundings.variables);
    }
    if let (Ok(Exit::Ok), Some(warmed)) = (&done, warmed) {
        output.flush();
        warmed.warm(surroundings, output);
    }
    done
}

/// Whether a daemon that runs may have to go by something else afterwards.
fn changes(verb: &Verb) -> bool {
    match verb {
        Verb::Add(_)
        | Verb::AddJson(_)
        | Verb::Remove(_)
        | Verb::Enable(_)
        | Verb::Disable(_)
        | Verb::Use(_)
        | Verb::Policy { .. }
        | Verb::Off(_)
        | Verb::On(_)
        | Verb::Import(_)
        | Verb::Init(_)
        | Verb::Connect(_) => true,
        Verb::Trust(arguments) => !arguments.list,
        Verb::Pins { verb } => matches!(verb, Some(PinsVerb::Accept { .. })),
        Verb::Secret { verb } => !matches!(verb, SecretVerb::List),
        _ => false,
    }
}

fn run_verb(verb: Verb, surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    match verb {
        Verb::Add(arguments) => add::run(*arguments, surroundings, output),
        Verb::AddJson(arguments) => add_json::run(&arguments, surroundings, output),
        Verb::List(arguments) => list::run(&arguments, surroundings, output),
        Verb::Get(arguments) => get::run(&arguments, surroundings, output),
        Verb::Remove(arguments) => remove::run(&arguments, surroundings, output),
        Verb::Enable(arguments) => switch::run(&arguments, true, surroundings, output),
        Verb::Disable(arguments) => switch::run(&arguments, false, surroundings, output),
        Verb::Use(arguments) => use_role::run(&arguments, surroundings, output),
        Verb::Off(arguments) => off::off(&arguments, surroundings, output),
        Verb::On(arguments) => off::on(&arguments, surroundings, output),
        Verb::Test(arguments) => test::run(&arguments, surroundings, output),
        Verb::Tools(arguments) => tools::run(&arguments, surroundings, output),
        Verb::Call(arguments) => call::run(&arguments, surroundings, output),
        Verb::Explain(arguments) => explain::run(&arguments, surroundings, output),
        Verb::Resources { verb } => resources::run(&verb, surroundings, output),
        Verb::Prompts { verb } => prompts::run(&verb, surroundings, output),
        Verb::Approvals(arguments) => approvals::run(&arguments, surroundings, output),
        Verb::Approve(arguments) => approve::run(&arguments, surroundings, output),
        Verb::Deny(arguments) => deny::run(arguments, surroundings, output),
        Verb::Audit(arguments) => audit::run(&arguments, surroundings, output),
        Verb::Config { verb } => config::run(&verb, surroundings, output),
        Verb::Import(arguments) => import::run(&arguments, surroundings, output),
        Verb::Connect(arguments) => connect::run(&arguments, surroundings, output),
        Verb::Disconnect(arguments) => disconnect::run(&arguments, surroundings, output),
        Verb::Trust(arguments) => trust::run(&arguments, surroundings, output),
        Verb::Pins { verb } => pins::run(&verb.unwrap_or(PinsVerb::List), surroundings, output),
        Verb::Policy { verb } => policy::run(&verb, surroundings, output),
        Verb::Sandbox { verb } => sandbox::run(&verb, surroundings, output),
        Verb::Token { verb } => token::run(verb, surroundings, output),
        Verb::Login(arguments) => login::run(&arguments, surroundings, output),
        Verb::Logout(arguments) => logout::run(&arguments, surroundings, output),
        Verb::Auth { verb } => auth::run(&verb, surroundings, output),
        Verb::Secret { verb } => secret::run(verb, surroundings, output),
        Verb::Serve(arguments) => serve::run(&arguments, surroundings, output),
        Verb::Server(arguments) => server::run(&arguments, surroundings, output),
        Verb::Stdio(arguments) => stdio::run(arguments, surroundings, output),
        Verb::Status(arguments) => status::run(&arguments, surroundings, output),
        Verb::Stop(arguments) => stop::run(&arguments, surroundings, output),
        Verb::Restart(arguments) => restart::run(&arguments, surroundings, output),
        Verb::Logs(arguments) => logs::run(&arguments, surroundings, output),
        Verb::Doctor => doctor::run(surroundings, output),
        Verb::Daemon => daemon::run(surroundings, output),
        Verb::Complete { kind } => complete::run(kind, surroundings, output),
        Verb::Demo => demo::run(output),
        Verb::Init(arguments) => init::run(&arguments, surroundings, output),
        Verb::Uninstall(arguments) => uninstall::run(&arguments, surroundings, output),
        Verb::Completions { shell } => completions::run(shell, output),
        Verb::Man => man::run(output),
    }
}
