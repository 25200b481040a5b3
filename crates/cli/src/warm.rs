//! What agents ask for first, asked before they do: the tools of accepted servers that nobody asked yet
//! are listed and kept, so that the first window finds them.
//!
//! A daemon that runs does that in the background, for the folders that somebody works in; where there is
//! none it is done here. Nothing comes of a failure: the first window meets it again, and `toolgate test`
//! says why.

use toolgate_control::ControlClient;
use toolgate_daemon::ListTools;

use toolgate_terminal::{CommandOutput, can_ask};

use crate::args::Verb;
use crate::errand::{self, ErrandPlace};
use crate::surroundings::Surroundings;

/// Whose tools are to be known.
pub(crate) struct WarmedServers {
    only: Option<String>,
}

impl WarmedServers {
    /// After this verb, where it is one after which an agent comes.
    pub(crate) fn after(verb: &Verb) -> Option<Self> {
        match verb {
            Verb::Connect(arguments) => (!arguments.dry_run).then_some(Self { only: None }),
            Verb::Add(arguments) => Some(Self { only: Some(arguments.id.clone()) }),
            _ => None,
        }
    }

    pub(crate) fn warm(&self, surroundings: &Surroundings, output: &CommandOutput) {
        if let Ok(Some(daemon)) = ControlClient::find(&surroundings.variables) {
            let _ = daemon.warm();
            return;
        }
        // A script that adds many servers does not wait for each of them.
        if self.only.is_some() && !can_ask() {
            return;
        }
        let errand = ListTools {
            only: self.only.clone(),
            role: None,
            cached: true,
            with_costs: false,
            with_past: false,
        };
        let mut silent = output.silenced();
        let _ = errand::run(&errand, ErrandPlace::Here, surroundings, &mut silent);
    }
}
