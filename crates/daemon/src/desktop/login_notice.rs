//! A server that wants a login, told on the desktop: once, until it is reached again.
//!
//! Nothing can be answered there: the login is a person's at a terminal.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use toolgate_config::Variables;
use toolgate_types::config::Config;
use toolgate_types::{HostEvent, HostListener, Secret, ServerId, ServerState};

use super::notification::telling;
use super::notifier::DesktopNotifier;
use crate::RunObserver;

/// Stands before another observer, and tells the desktop beside it.
pub(crate) struct LoginNotices {
    observer: Arc<dyn RunObserver>,
    notifier: DesktopNotifier,
    told: Mutex<ToldServers>,
}

impl LoginNotices {
    /// The observer itself where there is no desktop.
    pub(crate) fn before(
        observer: &Arc<dyn RunObserver>,
        variables: &Variables,
    ) -> Arc<dyn RunObserver> {
        match DesktopNotifier::find(variables) {
            Some(notifier) => {
                let (observer, told) = (Arc::clone(observer), Mutex::default());
                Arc::new(Self { observer, notifier, told })
            }
            None => Arc::clone(observer),
        }
    }

    fn tell(&self, server: &ServerId) {
        // Without a runtime nobody could wait for the program.
        let Ok(runtime) = Handle::try_current() else { return };
        let body = format!("Its calls fail until you do: toolgate login {server}");
        let arguments = telling(&format!("{server} wants a login"), &body);
        let notifier = self.notifier.clone();
        runtime.spawn(async move {
            notifier.show(&arguments, &CancellationToken::new()).await;
        });
    }
}

impl HostListener for LoginNotices {
    fn happened(&self, event: HostEvent) {
        if let Some(server) = self.told.lock().hear(&event) {
            self.tell(&server);
        }
        self.observer.happened(event);
    }

    fn complained(&self, server: &ServerId, line: &str) {
        self.observer.complained(server, line);
    }

    fn shown_token(&self, token: &Secret) {
        self.observer.shown_token(token);
    }
}

impl RunObserver for LoginNotices {
    fn log_line(&self, line: &[u8]) {
        self.observer.log_line(line);
    }

    fn speak_for_servers(&self, config: &mut Config) {
        self.observer.speak_for_servers(config);
    }
}

/// Of which servers it was told already.
#[derive(Debug, Default)]
struct ToldServers(HashSet<ServerId>);

impl ToldServers {
    /// The server that is to be told of now. Every host that has it tells the same.
    fn hear(&mut self, event: &HostEvent) -> Option<ServerId> {
        match event {
            HostEvent::LoginNeeded { server } => {
                self.0.insert(server.clone()).then(|| server.clone())
            }
            HostEvent::State { server, state: ServerState::Ready, .. } => {
                self.0.remove(server);
                None
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_told_once_until_the_server_was_reached() {
        let mut told = ToldServers::default();
        let server = ServerId::parse("one").unwrap();
        let needed = HostEvent::LoginNeeded { server: server.clone() };
        let state = |state| HostEvent::State { server: server.clone(), state, error: None };
        assert_eq!(told.hear(&needed), Some(server.clone()));
        assert_eq!(told.hear(&needed), None);
        assert_eq!(told.hear(&state(ServerState::Connecting)), None);
        assert_eq!(told.hear(&needed), None);
        assert_eq!(told.hear(&state(ServerState::Ready)), None);
        assert_eq!(told.hear(&needed), Some(server.clone()));
    }
}
