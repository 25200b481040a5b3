//! The person's browser, opened for a link: without a shell, and so that it stays when we end.

use std::path::{Path, PathBuf};

use toolgate_config::Variables;
use toolgate_sandbox::detach;
use url::Url;

use super::notifier::{desktop_environment, program_on_path};

/// Who opens links, by system.
const PROGRAMS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// Opens a link in the person's browser. `false`: there is none that could be started.
pub fn open_in_browser(link: &Url, variables: &Variables) -> bool {
    // What is handed over begins with the scheme, so no program takes it for an option.
    if !matches!(link.scheme(), "http" | "https") {
        return false;
    }
    let Some(program) = browser(variables) else { return false };
    let environment = desktop_environment(variables);
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or("xdg-open");
    detach(&program, &[name, link.as_str()], &environment, None).is_ok()
}

fn browser(variables: &Variables) -> Option<PathBuf> {
    let value = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let has_screen = cfg!(target_os = "macos")
        || value("DISPLAY").is_some()
        || value("WAYLAND_DISPLAY").is_some()
        || Path::new("/proc/sys/fs/binfmt_misc/WSLInterop").exists();
    if !has_screen {
        return None;
    }
    PROGRAMS.iter().find_map(|name| program_on_path(name, variables)).map(PathBuf::from)
}
