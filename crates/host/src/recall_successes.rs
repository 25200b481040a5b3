//! How often tools served before, asked of a host.

use serde_json::value::RawValue;
use toolgate_audit::definition_digest;
use toolgate_types::{Principal, ServerId};

use crate::Host;
use crate::past_success::SuccessCounts;

impl Host {
    /// For one principal. What is known from before is read once.
    pub(crate) async fn successes(&self, principal: &Principal) -> SuccessCounts {
        if !self.inner.past_success.is_known() {
            let known = self.inner.journal.past_successes(&self.inner.world.workspace).await;
            self.inner.past_success.learn(known);
        }
        self.inner.past_success.of(principal)
    }

    /// How often each of these tools, of a server and with a definition, served the principal of this host in
    /// its workspace, as far as records tell.
    pub async fn past_successes(&self, tools: &[(ServerId, &RawValue)]) -> Vec<u32> {
        let principal = Principal::named(self.inner.world.principal.as_str());
        let past = self.successes(&principal).await;
        let count =
            |(server, raw): &(ServerId, &RawValue)| past.count(server, definition_digest(raw));
        tools.iter().map(count).collect()
    }
}
