//! Code that was installed for one process, at a place where nothing of the machine is.

use std::path::Path;

use toolgate_types::config::OuterWall;

use super::folder_view::real;
use super::root_view::{RootView, SeenPlace};
use crate::{PACKAGE_PLACE, PackageFolder, WallError};

pub(super) fn show_package(
    view: &mut RootView,
    package: &PackageFolder,
    outer: OuterWall,
) -> Result<(), WallError> {
    // In a container nothing can be shown at another place than its own; what lies over something else
    // is our own builder's work.
    let is_changed = matches!(package, PackageFolder::Changed { .. });
    if !cfg!(target_os = "linux")
        || outer == OuterWall::Container
        || (outer == OuterWall::Bwrap && is_changed)
    {
        return Err(WallError::PackageElsewhere);
    }
    let shown = |folder: &Path, is_writable| {
        Ok::<_, WallError>(SeenPlace::Real { source: real(folder)?, is_writable })
    };
    let place = match package {
        PackageFolder::Installing(folder) => shown(folder, true)?,
        PackageFolder::Installed(folder) => shown(folder, false)?,
        PackageFolder::Changed { code, changes, workspace } => {
            SeenPlace::Overlay { lower: real(code)?, upper: real(changes)?, work: real(workspace)? }
        }
    };
    view.put(PACKAGE_PLACE, place);
    Ok(())
}
