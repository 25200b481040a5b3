//! A new configuration for a host that runs.

use std::collections::BTreeMap;

use toolgate_mask::Masker;
use toolgate_types::Acceptances;
use toolgate_types::config::Config;

use super::retire;
use crate::Host;
use crate::approval_channels::ApprovalChannels;
use crate::builder::{add_commands, add_own, project};
use crate::rulebook::{Rulebook, switch_off_forbidden};

impl Host {
    /// Takes a new configuration, and other variables where some are given. What did not change, nor
    /// anything that it resolves to, goes on undisturbed; what did is used from the next call on,
    /// while calls under way are done to their end by what they were made to.
    ///
    /// Settings of the audit stay as they were when the host was built.
    pub async fn reload(
        &self,
        config: &Config,
        acceptances: &Acceptances,
        variables: Option<BTreeMap<String, String>>,
    ) {
        let Host { inner } = self;
        let _alone = inner.servers.change().await;
        let before = self.shown();
        if let Some(variables) = variables {
            inner.world.replace_variables(variables);
        }
        // The old ones too: what still runs may yet say them.
        let secrets = Masker::of_config(config, &inner.world.variables());
        inner.journal.masker().learn(&secrets);
        inner.world.allowances.replace(&config.limits);
        inner.world.build_walls_by(&config.sandbox);
        inner.world.replace_token_commands(&config.auth_providers);
        self.replace_limits(config.limits.clone());
        self.replace_asking(ApprovalChannels::of(config));
        self.replace_notice(config.notice.clone());
        inner.servers.bound_pool(&config.limits);
        inner.world.replace_project(project(config));
        inner.world.replace_second_look(config.second_look.clone());
        let mut config = config.clone();
        add_own(&mut config, &inner.own_servers);
        let known = self.rulebook();
        let (administrator, workspace) = (known.administrator(), known.workspace().clone());
        add_commands(&mut config, acceptances, administrator.as_deref());
        switch_off_forbidden(&mut config, administrator.as_deref());
        let rulebook =
            Rulebook::new(&config, acceptances, administrator, workspace, &inner.step_bundles);
        let upstreams = inner.servers.upstreams(&inner.world, config.servers, acceptances);
        // Worked out before anybody sees them: who asks for a list next does not wait for it.
        let all: Vec<_> = upstreams.values().cloned().collect();
        rulebook.revision(&all);
        let gone = {
            // Whoever finds a new server finds the new rules.
            let mut rules = self.rules();
            let mut map = inner.servers.map();
            *rules = rulebook.into();
            let old = std::mem::replace(&mut *map, upstreams);
            let gone = old
                .into_iter()
                .map(|(id, old)| (retire(&old, map.get(&id).map(|upstream| &**upstream)), old));
            gone.collect()
        };
        self.after(before, gone);
    }
}
