//! What follows where something of a configuration could not be read: the person's own file holds
//! rules for everything, so that without it nothing is served; and agents are told.
//!
//! They are told which file and line, and neither its folder nor what stands there.

use toolgate_config::FailedLayer;
use toolgate_types::Layer;
use toolgate_types::config::Config;

const WHAT_TO_DO: &str = "You cannot mend that. Tell the user so, and that `toolgate config check` \
    says what is wrong; once it is mended, the tools are listed again by themselves.";

/// Leaves nothing to serve where the person's own file failed, and says what agents are told.
pub fn withhold_unread(config: &mut Config, failed: &[FailedLayer]) {
    if failed.iter().any(|layer| layer.layer == Layer::Global) {
        config.servers.clear();
        config.tools.clear();
    }
    config.notice = notice(failed);
}

fn notice(failed: &[FailedLayer]) -> Option<String> {
    // What lies above does not matter where nothing is served.
    let layer = failed.iter().min_by_key(|failed| failed.layer)?;
    let place = layer.place();
    let what = match layer.layer {
        Layer::Global => format!(
            "Toolgate, the gate to your tools, offers none at the moment: the user's own \
             configuration cannot be read ({place})."
        ),
        Layer::Project | Layer::Environment | Layer::Runtime => format!(
            "Toolgate, the gate to your tools, may lack some at the moment: the configuration of \
             this project cannot be read ({place})."
        ),
    };
    Some(format!("{what} {WHAT_TO_DO}"))
}
