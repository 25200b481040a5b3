//! The same walls as a profile of macOS's own sandbox. Untested: nobody has run it on a Mac. The text is made
//! and compared on every system; only what starts `sandbox-exec` with it is macOS's alone.
//!
//! It holds less than walls of Linux: other processes are seen, nothing is mounted, so there is no private
//! `/tmp` and no empty home but none at all, and no limit on what a tree uses. What it cannot hold at all is an
//! error.

use std::ffi::CStr;
use std::path::Path;

use toolgate_types::config::NetworkAccess;

use crate::WallError;
use crate::walls::{RootStep, Walls};

/// The one file that it is started by.
#[cfg(target_os = "macos")]
const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What every program does before its own first line, and nothing that is anybody's.
const BASE: &str = "\
(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))
(allow file-read* (literal \"/\") (subpath \"/System\") (subpath \"/Library/Apple\") \
(subpath \"/private/var/db/dyld\") (subpath \"/private/etc/ssl\") (literal \"/private/etc/hosts\") \
(literal \"/private/etc/resolv.conf\") (literal \"/private/etc/localtime\"))
(allow file-read* file-write-data file-ioctl (literal \"/dev/null\") (literal \"/dev/zero\") \
(literal \"/dev/random\") (literal \"/dev/urandom\"))
";

/// What the system is told. Later lines overrule earlier ones.
#[cfg_attr(not(any(test, target_os = "macos")), allow(dead_code, reason = "macOS's alone"))]
pub(crate) fn profile(walls: &Walls) -> Result<String, WallError> {
    let mut text = BASE.to_owned();
    let mut line = |action: &str, what: &str, filter: &str, place: &CStr| {
        let place = quoted(place)?;
        text.push_str(&format!("({action} {what} ({filter} {place}))\n"));
        Ok::<_, WallError>(())
    };
    for step in &walls.steps {
        match step {
            RootStep::Show { at, is_writable, is_folder, .. } => {
                let filter = if *is_folder { "subpath" } else { "literal" };
                line("allow", "file-read-metadata", "path-ancestors", at)?;
                line("allow", "file-read*", filter, at)?;
                let action = if *is_writable { "allow" } else { "deny" };
                line(action, "file-write*", filter, at)?;
            }
            RootStep::Empty { at } | RootStep::Blank { at } => {
                line("deny", "file-read* file-write*", "subpath", at)?;
            }
            RootStep::Overlay { .. } => return Err(WallError::PackageElsewhere),
            // Nothing is there, which is what nothing is said about. Links are the system's own.
            RootStep::Scratch { .. } | RootStep::Link { .. } | RootStep::Text { .. } => {}
        }
    }
    for (folder, name) in walls.creations.iter().flat_map(|rules| &rules.protected) {
        let path = [folder.to_bytes(), b"/", name.to_bytes()].concat();
        let path = std::ffi::CString::new(path).unwrap_or_default();
        line("deny", "file-write*", "subpath", &path)?;
    }
    match &walls.network {
        NetworkAccess::Off => {}
        NetworkAccess::Everything => text.push_str("(allow network* system-socket)\n"),
        NetworkAccess::Named(_) => return Err(WallError::NamesWithSeatbelt),
    }
    Ok(text)
}

/// A path as the language of profiles has it; what could be read as something else is refused.
fn quoted(place: &CStr) -> Result<String, WallError> {
    let path = place.to_str().ok().filter(|path| !path.chars().any(char::is_control));
    let Some(path) = path else {
        let path = String::from_utf8_lossy(place.to_bytes());
        return Err(WallError::Unquotable(Path::new(path.as_ref()).to_owned()));
    };
    Ok(format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The program below `sandbox-exec`; nothing else is started where that is missing.
#[cfg(target_os = "macos")]
pub(crate) fn within(
    mut plan: crate::plan::SpawnPlan,
) -> Result<crate::plan::SpawnPlan, WallError> {
    let Some(walls) = plan.walls.take() else { return Err(WallError::NoSeatbelt) };
    if !Path::new(PROGRAM).is_file() {
        return Err(WallError::NoSeatbelt);
    }
    let word = |text: &str| std::ffi::CString::new(text).map_err(|_| WallError::NoSeatbelt);
    let program = std::mem::replace(&mut plan.program, word(PROGRAM)?);
    let own = plan.args.drain(..).skip(1);
    plan.args = [word("sandbox-exec")?, word("-p")?, word(&profile(&walls)?)?, program]
        .into_iter()
        .chain(own)
        .collect();
    Ok(plan)
}

#[cfg(test)]
mod tests;
