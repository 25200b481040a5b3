//! Servers that a package manager would fetch (`npx`, `uvx`), behind walls in two phases.
//!
//! *Prepare* fetches: behind walls of its own, without workspace, entry environment or secrets, from the
//! registries that the person's own settings name. Nothing that was fetched runs there; scripts that
//! packages bring run afterwards, without network. Every version and hash is then fixed, and what is
//! fetched later is exactly that or is refused. *Run* starts the program that was installed, which sees
//! the code and writes to a folder of its own.
//!
//! ```text
//! <folder>/<entry>/lock            one at a time
//!                  new/ home/      while something is fetched
//!                  code/<digest>/  what was installed: tree/ is seen, the rest is ours
//!                  data/<where>/   home/ and changes/ of the server, kept for each place it is used in
//! ```

mod fixed_packages;
mod install_step;
mod npm_install;
mod npm_settings;
mod package_error;
mod package_room;
mod package_store;
mod pypi_install;
mod pypi_settings;
mod registries;
mod registry_places;

pub use fixed_packages::FixedPackages;
pub use package_error::PackageError;
pub use package_store::{InstalledServer, PackageStore, wanted_digest};
pub use registries::Registries;
pub use registry_places::RegistryPlaces;
