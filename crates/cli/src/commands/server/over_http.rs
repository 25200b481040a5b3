//! One server on an address: a gate that has this server, its tools under their own names, and nothing of
//! what any file says. Callers need a token of this machine's, and their calls are recorded.

use std::net::SocketAddr;

use serde_json::json;
use toolgate_config::load;
use toolgate_daemon::{ServeRequest, serve_alone};
use toolgate_terminal::CommandOutput;
use toolgate_types::config::Naming;
use toolgate_types::{Layer, LayerGrade};

use crate::commands::serve::greet;
use crate::console::CommandConsole;
use crate::errand::standpoint_of;
use crate::failure::CommandResult;
use crate::surroundings::Surroundings;

pub(super) fn run(
    name: &str,
    listen: SocketAddr,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let mut settings = surroundings.run_settings();
    let options = &mut settings.options;
    options.only = Some(Layer::Runtime);
    options.overrides = Some(json!({ "servers": { name: { "transport": "builtin" } } }));
    options.overrides_grade = LayerGrade::Person;
    let loaded = load(options);
    let request = ServeRequest {
        loaded: &loaded,
        standpoint: standpoint_of(&loaded, surroundings)?,
        listen: Some(listen),
        auth: None,
        naming: Some(Naming::Bare),
    };
    let served =
        serve_alone(request, &settings, &mut CommandConsole(output), |started, console| {
            greet(started, true, surroundings, console.0);
        });
    Ok(served?)
}
