//! Programs that are known by their names: shells, desktops, the first process of a system.

/// Shells, by the names of their programs.
pub(super) const SHELLS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "ksh93", "mksh", "ash", "busybox", "tcsh", "csh",
    "nu", "elvish", "xonsh", "pwsh",
];

/// What a person's programs are started by on a desktop, agents and terminals alike, where that is
/// not the first process. Believed only of files that are the system's.
pub(super) const DESKTOPS: [&str; 22] = [
    "gnome-shell",
    "gnome-session-binary",
    "plasmashell",
    "ksmserver",
    "krunner",
    "kwin_x11",
    "kwin_wayland",
    "xfce4-session",
    "xfce4-panel",
    "xfdesktop",
    "xfwm4",
    "cinnamon",
    "mate-session",
    "mate-panel",
    "lxqt-session",
    "lxqt-panel",
    "openbox",
    "i3",
    "sway",
    "dwm",
    "awesome",
    "Hyprland",
];

/// The first process of a system, where it is nobody's client.
pub(super) const INITS: [&str; 12] = [
    "systemd",
    "init",
    "launchd",
    "tini",
    "dumb-init",
    "docker-init",
    "catatonit",
    "s6-svscan",
    "bwrap",
    // What keeps a container open starts nothing itself.
    "sleep",
    "tail",
    "pause",
];
