//! Lists one server, so that its tools are known. It is started as its entry says, confined where that
//! is what it says, and nothing of it is called.

use toolgate_daemon::HostWish;
use toolgate_host::Audience;
use toolgate_terminal::CommandOutput;

use crate::command_host::with_host;
use crate::failure::{CliFailure, Exit};
use crate::surroundings::Surroundings;

/// Why it could not be listed, where it could not.
pub(crate) fn list_now(
    server: &str,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<Option<String>, CliFailure> {
    let wish = HostWish { only: Some(server), ..HostWish::default() };
    let listed = with_host(wish, surroundings, output, async |hosted| {
        hosted.connect().await?;
        hosted.progress.doing("listing tools");
        hosted.unless_interrupted(hosted.host.list_tools(&Audience::MODEL)).await?;
        let missing = hosted.missing(|status| status.tools.is_some());
        Ok(missing.first().map(|one| one.sentence()))
    });
    match listed.flatten() {
        Ok(why) => Ok(why),
        Err(interrupted) if interrupted.exit == Exit::Interrupted => Err(interrupted),
        Err(failure) => Ok(Some(failure.message)),
    }
}
