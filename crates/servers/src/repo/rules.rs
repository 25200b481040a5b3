//! Names that are not served: Git's own files, and files that usually hold secrets.
//!
//! A rule looks at the names on a real path, one by one, never at what is inside a file. Odd
//! spellings that some file system takes for the same name are the same name here.

use std::ffi::OsStr;

const GIT: &str = "Git's own files are not served";
const SECRET: &str = "files that usually hold secrets are not served";

/// Refused wherever they stand on a path, with all that is below them.
const SECRET_PLACES: [&str; 8] =
    [".env", ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".toolgate", ".secrets"];

const SECRET_FILES: [&str; 12] = [
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
];

const SECRET_ENDINGS: [&str; 11] =
    ["pem", "key", "p8", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "tfstate", "env"];

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

/// The rule that refuses everything at and below this name.
pub(crate) fn refuses_place(name: &OsStr) -> Option<&'static str> {
    let name = fold(name);
    // The second is what a FAT drive calls the first.
    if name == ".git" || name == "git~1" {
        return Some(GIT);
    }
    SECRET_PLACES.contains(&&*name).then_some(SECRET)
}

/// The rule that refuses a file of this name.
pub(crate) fn refuses_file(name: &OsStr) -> Option<&'static str> {
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
fn fold(name: &OsStr) -> String {
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
