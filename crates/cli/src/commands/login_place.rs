//! Which login a verb means: the server's entry, accepted, and whose login there.

use std::sync::Arc;

use toolgate_auth::login::ServerLogins;
use toolgate_daemon::{find_server, left_login};
use toolgate_store::LoginKey;
use toolgate_types::config::{RemoteServer, Transport};
use toolgate_types::{Accepted, Principal, ServerId, visible};
use toolgate_upstream::{LoginAccess, LoginFetch, has_own_credential, login_fetch};

use crate::args::ScopeArg;
use crate::failure::{CliFailure, Exit};
use crate::surroundings::Surroundings;
use crate::trust_standing;

pub(super) struct LoginPlace {
    pub(super) logins: Arc<ServerLogins>,
    pub(super) key: LoginKey,
    pub(super) remote: RemoteServer,
}

impl LoginPlace {
    pub(super) fn find(
        id: &str,
        account: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliFailure> {
        let loaded = surroundings.load_shown(ScopeArg::Effective);
        let entry = find_server(&loaded, id)?;
        let Transport::Remote(remote) = &entry.value.transport else {
            return Err(CliFailure::usage(format!("server {id} is no remote server"))
                .hint("only servers with a URL have a login"));
        };
        let known = surroundings.acceptances(&loaded)?;
        let standing = trust_standing::server_standing(id, entry, &known);
        Accepted::new(&entry.value, &standing).map_err(|reason| {
            CliFailure::new(format!("server {id} is pending: {reason}"))
                .hint("nothing was sent; accept it with: toolgate trust")
                .exits(Exit::TrustNeeded)
        })?;
        if has_own_credential(remote) {
            return Err(CliFailure::usage(format!("the entry of {id} brings its own credential"))
                .hint(
                    "take `headers.Authorization`, `bearer_token_env` or `auth_provider` out of it",
                ));
        }
        let logins = surroundings.logins(&loaded.config)?;
        let principal = Principal::local_user();
        let (folder, variables) = (&*surroundings.cwd, &surroundings.variables);
        let mut access = LoginAccess::of(&logins, entry, principal.as_str(), folder, variables);
        if let Some(account) = account {
            access.account = Some(account.to_owned());
        }
        let server = ServerId::parse(id).map_err(CliFailure::new)?;
        let key = access.key(&server, remote);
        Ok(Self { logins, key, remote: remote.clone() })
    }

    /// The same for a login that is to end: also where its server is not configured any more, or it is
    /// somebody else's.
    pub(super) fn to_leave(
        id: &str,
        account: Option<&str>,
        of: Option<&str>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliFailure> {
        let failure = match of {
            Some(of) => CliFailure::new(format!("{} has no login for {id}", visible(of)))
                .hint("`toolgate auth list` shows whose logins are kept"),
            None => match Self::find(id, account, surroundings) {
                Ok(place) => return Ok(place),
                Err(failure) => failure,
            },
        };
        let logins = surroundings.logins(&surroundings.load_as_hosted().config)?;
        let left = left_login(&logins, id, account, of).map_err(CliFailure::new)?;
        let (key, remote) = left.ok_or(failure)?;
        Ok(Self { logins, key, remote })
    }

    /// The server, and the account there where one is meant.
    pub(super) fn shown(&self) -> String {
        let id = visible(self.key.server.as_str());
        match &self.key.account {
            Some(account) => format!("{id} as {}", visible(account)),
            None => id,
        }
    }

    pub(super) fn fetch(&self, surroundings: &Surroundings) -> Result<LoginFetch, CliFailure> {
        let fetch = login_fetch(&self.remote, &surroundings.cwd, &surroundings.variables);
        fetch.map_err(CliFailure::new)
    }
}
