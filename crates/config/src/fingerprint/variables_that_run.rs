//! The names of variables that make a program run or load something.

use toolgate_types::NETWORK_VARIABLES;

/// Families of names that do, whatever comes after these letters.
const FAMILIES: [&str; 8] =
    ["BASH_FUNC_", "CARGO_", "DYLD_", "GIT_", "LD_", "NPM_CONFIG_", "PYTHON", "RUSTC"];

/// Whether whoever sets a variable of this name says what a program runs, loads, reads its settings from
/// or goes through to the network.
pub(crate) fn is_of_consequence(name: &str) -> bool {
    let named = |list: &[&str]| list.iter().any(|one| one.eq_ignore_ascii_case(name));
    let upper = name.to_ascii_uppercase();
    named(&["PATH", "IFS", "SHELLOPTS", "BASHOPTS", "PATHEXT", "TMPDIR"])
        || [&LOADING[..], &COMMANDS, &FOLDERS, &WRITTEN, &NETWORK_VARIABLES].into_iter().any(named)
        || FAMILIES.iter().any(|family| upper.starts_with(family))
}

/// They name a file, or options with files in them.
pub(super) const LOADING: [&str; 37] = [
    "BASH_ENV",
    "BUNDLE_GEMFILE",
    "DYLD_INSERT_LIBRARIES",
    "ENV",
    "GCONV_PATH",
    "GIT_ASKPASS",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_SSH",
    "GLIBC_TUNABLES",
    "INPUTRC",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LUA_INIT",
    "MAKEFILES",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "OPENSSL_CONF",
    "PERL5DB",
    "PERL5OPT",
    "PHPRC",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_WRAPPER",
    "SHELL",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "UV_PYTHON",
    "npm_config_script_shell",
    "npm_config_userconfig",
];

/// They hold a command line.
pub(super) const COMMANDS: [&str; 18] = [
    "BROWSER",
    "DEBUGGER",
    "EDITOR",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "PS4",
    "RSYNC_RSH",
    "VIMINIT",
    "VISUAL",
];

/// They hold folders that programs and their libraries are looked for in.
pub(super) const FOLDERS: [&str; 16] = [
    "CLASSPATH",
    "DYLD_LIBRARY_PATH",
    "GEM_PATH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "LD_LIBRARY_PATH",
    "LUA_CPATH",
    "LUA_PATH",
    "NODE_PATH",
    "OPENSSL_ENGINES",
    "PERL5LIB",
    "PERLLIB",
    "PHP_INI_SCAN_DIR",
    "PYTHONHOME",
    "RUBYLIB",
    "ZDOTDIR",
];

/// They hold folders that programs load from and write into: watched, they would ask again all the time.
pub(super) const WRITTEN: [&str; 6] = [
    "GEM_HOME",
    "HOME",
    "PYTHONPYCACHEPREFIX",
    "PYTHONUSERBASE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];
