//! Which tools of one server an audience sees: what is shown, has a name, and may run where it would.

use toolgate_guard::{AudienceRules, MatterOwner};
use toolgate_types::visible;
use toolgate_upstream::{SessionDefaults, Upstream};

use crate::Audience;
use crate::named_servers::NamedServer;

/// The places of what an audience sees of one server, in the server's list; nothing where that is all of
/// it. What is not listed is told.
pub(super) fn seen_places(
    server: &NamedServer,
    rules: &AudienceRules,
    audience: &Audience,
    set_aside: &mut Vec<String>,
) -> Option<Vec<u32>> {
    let (id, listing) = (server.upstream.id(), &server.names.listing);
    let visibility = rules.visibility().of_server(MatterOwner::Server(id));
    // Nearly always all are there: then nothing is asked about any of thousands.
    let are_all = visibility.is_all_direct()
        && server.names.are_all_shown
        && server.upstream.commands().is_none();
    let is_direct = |tool: &str| visibility.is_direct(tool);
    let seen = (!are_all).then(|| some_of(server, &is_direct, (rules, audience), set_aside));
    set_aside.extend(listing.set_aside.iter().map(|why| format!("{id}: {why}")));
    set_aside.extend(listing.cut.map(|why| format!("{id}: {why}")));
    seen
}

fn some_of(
    server: &NamedServer,
    is_direct: &dyn Fn(&str) -> bool,
    (rules, audience): (&AudienceRules, &Audience),
    set_aside: &mut Vec<String>,
) -> Vec<u32> {
    let (upstream, names) = (&server.upstream, &server.names);
    let mut seen = Vec::with_capacity(names.tools.len());
    for (place, tool) in names.listing.items.iter().enumerate() {
        if !is_direct(&tool.key) {
            continue;
        }
        let mut left_out = |why: &str| {
            set_aside.push(format!("{}: {}: {why}", upstream.id(), visible(&tool.key)));
        };
        match (misplaced(upstream, &tool.key, rules, audience), &names.tools[place].shown) {
            (Some(why), _) => left_out(why),
            (None, Err(why)) => left_out(why),
            (None, Ok(_)) => seen.push(place as u32),
        }
    }
    seen
}

/// Why a command tool may not run where it would run for an audience, if it may not.
fn misplaced(
    upstream: &Upstream,
    tool: &str,
    rules: &AudienceRules,
    audience: &Audience,
) -> Option<&'static str> {
    let tool = upstream.commands()?.get(tool)?;
    let overrides = audience.overrides.as_deref();
    let (folder, is_led_outside) =
        SessionDefaults::folder(&tool.value, upstream.workspace(), overrides)?;
    if !rules.permits_folder(&folder) {
        return Some("no policy's `allowed_cwds` has the folder that it would run in");
    }
    let is_stray = is_led_outside && !rules.limits_folders();
    is_stray.then_some("its session's folder is outside the workspace")
}
