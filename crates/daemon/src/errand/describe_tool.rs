//! One tool as its server defines it, by whatever name it was asked for.

use serde::{Deserialize, Serialize};
use toolgate_control::CommandFailure;
use toolgate_types::{ListKind, ServerId};

use super::list_tools::ListedTool;
use super::typed_tool::public_tool;
use super::unknown_name::unknown_name;
use super::{Errand, ErrandHost, HostWish, server_id};

#[derive(Debug, Serialize, Deserialize)]
pub struct DescribeTool {
    /// Left out where the tool is named as agents see it.
    pub server: Option<String>,
    pub tool: String,
}

impl Errand for DescribeTool {
    const METHOD: &'static str = "host.tool";
    type Product = ListedTool;
    type Trouble = CommandFailure;

    fn verb(&self) -> &'static str {
        "tools show"
    }

    fn wish(&self) -> HostWish<'_> {
        let only = self.server.as_deref();
        HostWish { only, cached: true, ..HostWish::default() }
    }

    async fn run(&self, hosted: &ErrandHost) -> Result<ListedTool, CommandFailure> {
        match &self.server {
            Some(server) => self.of_server(&server_id(server)?, hosted).await,
            None => {
                let found = public_tool(&self.tool, hosted).await?;
                Ok(ListedTool::of(&found))
            }
        }
    }
}

impl DescribeTool {
    /// What was kept from the last time will do, unless the tool is not in it.
    async fn of_server(
        &self,
        server: &ServerId,
        hosted: &ErrandHost,
    ) -> Result<ListedTool, CommandFailure> {
        let mut names = Vec::new();
        for is_last in [false, true] {
            let found = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server));
            let found = hosted.unless_interrupted(found).await?;
            let own = hosted.host.own_tool_name(server, &self.tool);
            let own = own.as_deref().unwrap_or(&self.tool);
            let definition = found.iter().find(|found| *found.definition.key == *own);
            if let Some(found) = definition {
                let view = hosted.host.view(&hosted.audience);
                let told = (&hosted.host, &hosted.audience);
                return Ok(ListedTool::of_definition(server, &found.definition, &view, told));
            }
            if is_last {
                names = found.into_iter().map(|found| found.definition.key.clone()).collect();
            } else {
                hosted.connect().await?;
            }
        }
        if let Some(missing) = hosted.missing(|status| status.tools.is_some()).pop() {
            return Err(missing.failure());
        }
        let see = format!("toolgate tools --server {server}");
        let message = format!("the server {server} has no such tool");
        Err(unknown_name(&message, &self.tool, &names, &see))
    }
}
