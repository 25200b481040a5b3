//! The folders of the system that every program needs, read-only, and nothing of `/etc` that holds a
//! secret: to a process of root, without any capability, a file of root is still its own.

use std::path::Path;

use super::root_view::{RootView, SHARED_SCRATCH, SeenPlace};

/// Programs and libraries.
const FOLDERS: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/run/current-system",
    "/gnu/store",
    "/home/linuxbrew",
];

/// What programs read of `/etc`.
const SETTINGS: [&str; 31] = [
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "lsb-release",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "python3",
    "resolv.conf",
    "rpc",
    "services",
    "ssl",
    "static",
    "terminfo",
    "timezone",
];

pub(super) fn show_system(view: &mut RootView) {
    for folder in FOLDERS {
        view.show_if_there(Path::new(folder));
    }
    let etc = Path::new("/etc");
    for name in SETTINGS {
        show_followed(view, &etc.join(name));
    }
    // Private keys of the machine lie among its public certificates. Whoever may not look there cannot put
    // anything in their place either, and need not.
    if etc.join("ssl/private").read_dir().is_ok() {
        view.put("/etc/ssl/private", SeenPlace::Empty);
    }
    for scratch in SHARED_SCRATCH {
        view.put(scratch, SeenPlace::Scratch);
    }
}

/// Names are looked up inside, by whoever hands out their addresses; where the machine's own file would lead
/// to is the gate's to know.
pub(super) fn resolve_inside(view: &mut RootView) {
    view.put("/etc/hosts", SeenPlace::Text(c"127.0.0.1 localhost\n::1 localhost\n"));
    view.put("/etc/resolv.conf", SeenPlace::Text(c"nameserver 127.0.0.1\n"));
}

/// A setting may be a link to where nothing is shown (`/etc/resolv.conf` to `/run`): its file is shown
/// under its name.
fn show_followed(view: &mut RootView, at: &Path) {
    if let Ok(real) = at.canonicalize() {
        view.put(at, SeenPlace::Real { source: real, is_writable: false });
    }
}
