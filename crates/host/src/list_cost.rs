//! What the lists of a host cost those who are given them, for the person who configured them.

use toolgate_types::config::{Exposure, Naming};
use toolgate_types::{ListCost, RoleId, ServerListCost};

use crate::{Audience, AudienceAddress, Host, ToolView};

impl Host {
    /// What each list costs that the configuration makes: everybody's, each role's, each client's where
    /// something is configured for it. Of what is known now; nobody is asked anything.
    pub fn list_costs(&self, naming: Naming) -> Vec<ListCost> {
        let rulebook = self.rulebook();
        let everybody = std::iter::once((None, None));
        let roles = rulebook.role_ids().map(|role| (None, Some(role)));
        let clients = rulebook.exposure().clients.iter();
        let clients = clients.map(|client| (Some(client.name.as_str()), client.role.as_ref()));
        let all = everybody.chain(roles).chain(clients);
        all.map(|(client, role)| self.list_cost(naming, client, role)).collect()
    }

    fn list_cost(&self, naming: Naming, client: Option<&str>, role: Option<&RoleId>) -> ListCost {
        let address = role.cloned().map_or(AudienceAddress::Everything, AudienceAddress::Role);
        let exposure = self.exposure_for(client);
        let audience =
            Audience { naming, resource_tools: false, exposure, ..Audience::at(address) };
        // Not kept: whoever is shown one of them is another audience's client.
        let seen = |exposure: Exposure| -> ToolView {
            self.build_view(&Audience { exposure, ..audience.clone() }, None)
        };
        let [direct, meta] = [Exposure::Direct, Exposure::Meta].map(seen);
        let is_folded = match exposure {
            Exposure::Direct => false,
            Exposure::Meta => true,
            Exposure::Auto => seen(Exposure::Auto).is_folded(),
        };
        let servers = direct.figures_by_server().into_iter();
        let servers = servers.map(|(server, figures)| {
            let server = server.to_string();
            ServerListCost { server, figures }
        });
        let mut servers: Vec<_> = servers.collect();
        servers.sort_by_key(|one| std::cmp::Reverse(one.figures.tokens));
        let (direct, meta) = (direct.figures(), meta.figures());
        ListCost {
            role: role.map(ToString::to_string),
            client: client.map(str::to_owned),
            exposure,
            lists: if is_folded { Exposure::Meta } else { Exposure::Direct },
            listed: if is_folded { meta } else { direct },
            direct,
            meta,
            meta_saves: direct.tokens.saturating_sub(meta.tokens),
            servers,
        }
    }
}
