//! What a person sees while the packages of a server that they accept are fetched, and which versions were
//! fixed.

use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{
    PackageNeeds, PackageState, fix_packages, forget_packages, package_key, package_state,
};
use toolgate_store::PinKey;
use toolgate_terminal::{CommandOutput, ProgressDisplay, counted};
use toolgate_types::config::{Entry, Server};
use toolgate_types::{ServerId, visible};

use toolgate_upstream::{FixedPackages, PackageError};

use crate::command_runtime::command_runtime;
use crate::failure::CliFailure;
use crate::surroundings::{Surroundings, wait};

/// What would be downloaded for a server once it is accepted, for the person who decides.
pub(crate) fn download_rows(
    id: &str,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
) -> Vec<(&'static str, String)> {
    let Some(entry) = loaded.config.servers.get(id) else { return Vec::new() };
    match PackageNeeds::of(&entry.value, &surroundings.variables) {
        Ok(needs) => needs.map(|needs| needs.rows().into()).unwrap_or_default(),
        Err(error) => vec![("cannot start", visible(&error.to_string()))],
    }
}

/// How it is with the packages of a server; nothing is fetched.
pub(crate) fn package_state_of(
    id: &str,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
) -> PackageState {
    let Some((entry, key)) = found(id, loaded) else { return PackageState::NoPackages };
    let ground = surroundings.test_ground(&loaded.config);
    match surroundings.store_to_read() {
        Ok(store) => wait(package_state(&entry.value, &key, &ground, &store)),
        Err(_) => PackageState::NoPackages,
    }
}

/// Takes back what was fetched for a server that is no longer there; what it wrote itself stays.
pub(crate) fn forget_fetched(
    key: &PinKey,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
) -> Result<(), CliFailure> {
    let (ground, store) = (surroundings.test_ground(&loaded.config), surroundings.store()?);
    let forgotten = command_runtime()?.block_on(forget_packages(key, &ground, &store));
    forgotten.map_err(CliFailure::new)
}

/// The packages that were fixed, as a person reads them.
pub(crate) fn versions(fixed: &FixedPackages) -> String {
    let others = match fixed.others() {
        0 => String::new(),
        count => format!(", with {} that it needs", counted(count, "package")),
    };
    visible(&fixed.versions().join(" ")) + &others
}

/// Fetches what a server is made of, and fixes it. `false`, with the reason said: it could not be fetched.
pub(crate) fn fetch_packages(
    id: &str,
    loaded: &McpConfigLoadResult,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<bool, CliFailure> {
    let Some((entry, key)) = found(id, loaded) else { return Ok(true) };
    let needs = match PackageNeeds::of(&entry.value, &surroundings.variables) {
        Ok(Some(needs)) => needs,
        Ok(None) => return Ok(true),
        Err(error) => return Ok(refused(id, &error, output)),
    };
    output.flush();
    let display = ProgressDisplay::new(output);
    display.doing(&format!("downloading {}", visible(&needs.packages.join(" "))));
    let (ground, store) = (surroundings.test_ground(&loaded.config), surroundings.store()?);
    let runtime = command_runtime()?;
    let fixed = runtime.block_on(fix_packages(&entry.value, &key, &ground, &store));
    display.clear();
    match fixed {
        Ok(fixed) => {
            if let Some(fixed) = fixed {
                output.note(format!("downloaded and fixed {}", versions(&fixed)));
            }
            Ok(true)
        }
        Err(error) => Ok(refused(id, &error, output)),
    }
}

fn refused(id: &str, error: &PackageError, output: &mut CommandOutput) -> bool {
    output.warning_lines(&format!("{}: {error}", visible(id)));
    if let Some(hint) = error.hint() {
        output.note(hint);
    }
    false
}

/// Whose server it is, where one of this name is configured.
pub(crate) fn key_of(id: &str, loaded: &McpConfigLoadResult) -> Option<PinKey> {
    found(id, loaded).map(|(_, key)| key)
}

fn found<'l>(id: &str, loaded: &'l McpConfigLoadResult) -> Option<(&'l Entry<Server>, PinKey)> {
    let entry = loaded.config.servers.get(id)?;
    let id = ServerId::parse(id).ok()?;
    Some((entry, package_key(&id, entry, Some(&loaded.project_root))?))
}
