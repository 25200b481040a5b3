//! Windows that are to do without a server for as long as they are open.

use std::sync::Arc;

use toolgate_control::{WindowSwitchAnswer, WindowSwitchRequest};
use toolgate_gateway::socket::control::{CommandDeclined, ControlPeer};
use toolgate_types::{PersonSwitch, ServerId, SwitchScope, SwitchSubject};

use super::PersonCommands;
use crate::visitors::AttachedVisitor;

impl PersonCommands {
    pub(super) async fn switch_windows(
        &self,
        wish: WindowSwitchRequest,
        peer: &Arc<ControlPeer>,
    ) -> Result<WindowSwitchAnswer, CommandDeclined> {
        if !self.is_a_person(peer).await {
            return Err(CommandDeclined::Failed("this is for the user, not for agents".to_owned()));
        }
        let WindowSwitchRequest { folder, server, is_off } = wish;
        let server = ServerId::parse_reference(&server)
            .map_err(|error| CommandDeclined::Params(error.to_string()))?;
        let mut answer = WindowSwitchAnswer::default();
        for window in self.visitors.all() {
            let is_there = |at: &std::path::PathBuf| at.starts_with(&folder);
            let its_folder = self.contexts.folder_of(&window.key);
            if !window.is_window() || !its_folder.as_ref().is_some_and(is_there) {
                continue;
            }
            answer.windows += 1;
            if self.switch_window(&window, &server, is_off).await? {
                answer.changed += 1;
                self.gateway.lists_changed(&window.key);
            }
        }
        Ok(answer)
    }

    /// Whether it is another than before. What cannot be kept is not done: it would be forgotten with
    /// this daemon.
    async fn switch_window(
        &self,
        window: &AttachedVisitor,
        server: &ServerId,
        is_off: bool,
    ) -> Result<bool, CommandDeclined> {
        let failed = |error: toolgate_store::StoreError| CommandDeclined::Failed(error.to_string());
        let mark = window.mark().ok_or_else(|| {
            CommandDeclined::Failed("the process of a window cannot be seen from here".to_owned())
        })?;
        let scope = SwitchScope::Window(mark);
        let subject = SwitchSubject::Off(server.clone());
        let switch = PersonSwitch { scope: scope.clone(), subject };
        let store = self.contexts.store();
        let mut off = window.switches.off().unwrap_or_default();
        let is_changed = match is_off {
            true => {
                store.keep_switch(switch).await.map_err(failed)?;
                off.insert(server.clone(), scope).is_none()
            }
            false => {
                store.forget_switch(&switch).await.map_err(failed)?;
                off.remove(server).is_some()
            }
        };
        window.switches.replace(off);
        Ok(is_changed)
    }
}
