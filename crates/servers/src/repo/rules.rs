//! Names that are not served: Git's own files, and files that usually hold secrets.
//!
//! A rule looks at the names on a real path, one by one and where they stand, never at what is inside
//! a file. Odd
//! spellings that some file system takes for the same name are the same name here.

use std::ffi::OsStr;
use std::path::Path;

const GIT: &str = "Git's own files are not served";
const SECRET: &str = "files that usually hold secrets are not served";

/// Refused wherever they stand on a path, with all that is below them.
const SECRET_PLACES: [&str; 22] = [
    ".env",
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".toolgate",
    ".secrets",
    ".aliyun",
    ".bitcoin",
    ".bluemix",
    ".electrum",
    ".gcloud",
    ".lpass",
    ".mozilla",
    ".oci",
    ".password-store",
    ".snowsql",
    ".sops",
    ".thunderbird",
    ".waterfox",
    ".zen",
];

/// Refused where a path ends in them: elsewhere the same names mean something else.
const SECRET_PATHS: [&[&str]; 53] = [
    &[".bundle", "config"],
    &[".claude", "history.jsonl"],
    &[".codex", "history.jsonl"],
    &[".config", "1password"],
    &[".config", "bitwarden"],
    &[".config", "bravesoftware"],
    &[".config", "chromium"],
    &[".config", "discord"],
    &[".config", "doctl"],
    &[".config", "gcloud"],
    &[".config", "gh"],
    &[".config", "glab-cli"],
    &[".config", "google-chrome"],
    &[".config", "google-chrome-beta"],
    &[".config", "heroku"],
    &[".config", "hub"],
    &[".config", "keepassxc"],
    &[".config", "librewolf"],
    &[".config", "microsoft-edge"],
    &[".config", "mozilla"],
    &[".config", "op"],
    &[".config", "opera"],
    &[".config", "signal"],
    &[".config", "slack"],
    &[".config", "sops"],
    &[".config", "toolgate"],
    &[".config", "vivaldi"],
    &[".config", "yandex-browser"],
    &[".docker", "config.json"],
    &[".docker", "contexts"],
    &[".ethereum", "keystore"],
    &[".fly", "config.yml"],
    &[".gradle", "gradle.properties"],
    &[".kaggle", "kaggle.json"],
    &[".local", "share", "keyrings"],
    &[".local", "share", "kwalletd"],
    &[".local", "share", "opencode"],
    &[".local", "state", "toolgate"],
    &[".m2", "settings-security.xml"],
    &[".m2", "settings.xml"],
    &[".nuget", "nuget.config"],
    &["application support", "bravesoftware"],
    &["application support", "firefox"],
    &["application support", "google", "chrome"],
    &["etc", "gshadow"],
    &["etc", "shadow"],
    &["gh", "hosts.yml"],
    &["google", "chrome", "user data"],
    &["huggingface", "token"],
    &["library", "keychains"],
    &["snap", "chromium"],
    &["snap", "firefox"],
    &["solana", "id.json"],
];

const SECRET_FILES: [&str; 57] = [
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".vault-token",
    ".git-credentials",
    "kubeconfig",
    ".boto",
    ".claude.json",
    ".curlrc",
    ".databrickscfg",
    ".dbshell",
    ".fetchmailrc",
    ".iceauthority",
    ".lesshst",
    ".msmtprc",
    ".mylogin.cnf",
    ".rhosts",
    ".s3cfg",
    ".sentryclirc",
    ".terraformrc",
    ".viminfo",
    ".wgetrc",
    ".xauthority",
    "access_tokens.db",
    "auth.json",
    "azureprofile.json",
    "consolehost_history.txt",
    "cookies.binarycookies",
    "cookies.sqlite",
    "filezilla.xml",
    "fish_history",
    "formhistory.sqlite",
    "key3.db",
    "key4.db",
    "keyring.cfg",
    "kwallet.kwl",
    "login data",
    "login data for account",
    "login.keychain",
    "login.keychain-db",
    "logins.json",
    "mcp-auth.json",
    "places.sqlite",
    "rclone.conf",
    "recentservers.xml",
    "shadow-",
    "sitemanager.xml",
    "terraform.rc",
    "wallet.dat",
    "web data",
    "wpa_supplicant.conf",
];

const SECRET_ENDINGS: [&str; 14] = [
    "pem", "key", "p8", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "tfstate", "env",
    "keyring", "kwl", "ovpn",
];

const KEYS: [&str; 4] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// `.env.example` shows what to fill in.
const TEMPLATES: [&str; 4] = ["example", "sample", "template", "dist"];

/// Copies that editors and careful people leave beside a file.
const COPIES: [&str; 7] = ["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp"];

/// `credentials.rs` is about credentials and holds none.
const SOURCES: [&str; 40] = [
    "adoc", "c", "cc", "clj", "cpp", "cs", "css", "dart", "ex", "exs", "go", "h", "hpp", "hs",
    "html", "java", "js", "jsx", "kt", "lua", "md", "mjs", "ml", "mts", "php", "proto", "py",
    "pyi", "rb", "rs", "rst", "scala", "sh", "sql", "svelte", "swift", "ts", "tsx", "vue", "zig",
];

/// The rule that refuses everything at and below this path, of whose names the last is looked at and
/// those before it say where it stands.
pub(crate) fn refuses_place_at(path: &Path) -> Option<&'static str> {
    let place = refuses_place(path.file_name()?);
    place.or_else(|| is_secret_path(path).then_some(SECRET))
}

/// The rule that refuses a file at this path.
pub(crate) fn refuses_file_at(path: &Path) -> Option<&'static str> {
    let file = refuses_file(path.file_name()?);
    file.or_else(|| is_secret_path(path).then_some(SECRET))
}

/// The rule that refuses a file at a path below a folder, by the last name or any before it.
pub(crate) fn refuses_below(root: &Path, path: &Path) -> Option<&'static str> {
    let mut whole = root.to_owned();
    let mut names = path.iter().peekable();
    while let Some(name) = names.next() {
        whole.push(name);
        let rule = match names.peek() {
            Some(_) => refuses_place_at(&whole),
            None => refuses_file_at(&whole),
        };
        if rule.is_some() {
            return rule;
        }
    }
    None
}

/// The rule that refuses to serve a folder at all: it lies in a secret place. One among Git's own
/// files may be a work tree.
pub(crate) fn refuses_root(root: &Path) -> Option<&'static str> {
    let mut above = root.ancestors();
    above.find_map(|folder| refuses_place_at(folder).filter(|rule| *rule == SECRET))
}

fn is_secret_path(path: &Path) -> bool {
    let Some(name) = path.file_name().map(fold) else { return false };
    let mut fitting = SECRET_PATHS.iter().filter(|secret| secret.last() == Some(&&*name));
    fitting.any(|secret| {
        let names = path.iter().rev().map(fold);
        secret.len() <= path.iter().count()
            && names.zip(secret.iter().rev()).all(|(name, known)| name == **known)
    })
}

/// The rule that refuses everything at and below this name.
fn refuses_place(name: &OsStr) -> Option<&'static str> {
    let name = fold(name);
    // The second is what a FAT drive calls the first.
    if name == ".git" || name == "git~1" {
        return Some(GIT);
    }
    SECRET_PLACES.contains(&&*name).then_some(SECRET)
}

/// The rule that refuses a file of this name.
fn refuses_file(name: &OsStr) -> Option<&'static str> {
    let place = refuses_place(name);
    if place.is_some() {
        return place;
    }
    let folded = fold(name);
    let name = folded.trim_matches('#');
    let original = COPIES.iter().find_map(|copy| name.strip_suffix(copy)).unwrap_or(name);
    holds_secrets(original).then_some(SECRET)
}

fn holds_secrets(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if name == ".env" || stem == ".env" || name.starts_with(".env.") {
        return !TEMPLATES.contains(&ending);
    }
    if SECRET_FILES.contains(&name) || SECRET_PLACES.contains(&name) {
        return true;
    }
    // What somebody typed, passwords among it.
    if name.starts_with('.') && name.ends_with("history") {
        return true;
    }
    if SECRET_ENDINGS.contains(&ending) {
        return !(ending == "env" && TEMPLATES.contains(&stem));
    }
    if SOURCES.contains(&ending) {
        return false;
    }
    let plain = name.trim_start_matches('.');
    let stem = plain.split('.').next().unwrap_or(plain);
    KEYS.iter().any(|key| plain.starts_with(key))
        || stem.starts_with("credentials")
        || stem.ends_with("credentials")
        || stem.starts_with("client_secret")
        || stem == "secret"
        || stem == "secrets"
}

/// One spelling for all that a file system may take for the same name: letters in any case, marks
/// that HFS+ leaves out, what NTFS drops at the end, and the streams it puts behind a colon.
pub(crate) fn fold(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let shown = name.chars().filter(|&mark| !is_left_out(mark));
    // Upwards first: a long s is lower case already and becomes `s` only by way of `S`.
    let folded: String = shown.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    let whole = folded.split(':').next().unwrap_or_default();
    whole.trim_end_matches(['.', ' ']).to_owned()
}

fn is_left_out(mark: char) -> bool {
    matches!(mark,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
