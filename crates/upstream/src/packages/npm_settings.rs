//! The person's settings for npm: their own file and the machine's, and variables. A project's `.npmrc` is
//! never looked at.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toolgate_types::Variables;

use super::registry_places::{RegistryPlaces, place};

const USUAL: &str = "https://registry.npmjs.org/";

/// Files of the machine, besides the one beside npm itself.
const OF_MACHINE: [&str; 3] = ["/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"];

/// How the network is reached, and whose certificates count.
const TAKEN: [&str; 7] =
    ["cafile", "ca", "strict-ssl", "proxy", "https-proxy", "noproxy", "fetch-timeout"];

pub(super) struct NpmSettings {
    pub(super) places: RegistryPlaces,
    pub(super) settings: Vec<(String, String)>,
    pub(super) files: Vec<String>,
    pub(super) proxies: Vec<String>,
}

impl NpmSettings {
    pub(super) fn of(variables: &Variables) -> Self {
        let mut all = BTreeMap::new();
        for file in files(variables) {
            let text = fs::read_to_string(file).unwrap_or_default();
            all.extend(read(&text, variables));
        }
        for (name, value) in variables {
            if let Some(key) = name.to_ascii_lowercase().strip_prefix("npm_config_") {
                // A credential is named by a host, which no variable can name.
                all.insert(key.replace('_', "-"), value.clone());
            }
        }
        Self::from(all)
    }

    fn from(all: BTreeMap<String, String>) -> Self {
        let of_scope = |(key, url): (&String, &String)| {
            let scope = key.strip_suffix(":registry").filter(|scope| scope.starts_with('@'))?;
            Some((scope.to_owned(), place(url)?))
        };
        let places = RegistryPlaces {
            main: all.get("registry").and_then(|url| place(url)).unwrap_or_else(|| USUAL.into()),
            others: all.iter().filter_map(of_scope).collect(),
        };
        let taken = |key: &str| all.get(key).cloned();
        let is_taken = |key: &str| TAKEN.contains(&key) || key.starts_with("//");
        Self {
            places,
            files: taken("cafile")
                .into_iter()
                .filter(|file| Path::new(file).is_absolute())
                .collect(),
            proxies: [taken("proxy"), taken("https-proxy")].into_iter().flatten().collect(),
            settings: all.into_iter().filter(|(key, _)| is_taken(key)).collect(),
        }
    }
}

/// The machine's first: what is the person's own comes later and counts more.
fn files(variables: &Variables) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = OF_MACHINE.map(PathBuf::from).into();
    let path = variables.get("PATH").map_or("", String::as_str);
    let beside = path.split(':').map(Path::new).find(|folder| folder.join("npm").exists());
    files.extend(beside.and_then(Path::parent).map(|prefix| prefix.join("etc/npmrc")));
    let named = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"];
    let named = named.iter().find_map(|name| variables.get(*name)).map(PathBuf::from);
    let own = variables.get("HOME").map(|home| Path::new(home).join(".npmrc"));
    files.extend(named.or(own));
    files.retain(|file| file.is_absolute());
    files
}

/// `key = value` each; `${NAME}` is a variable of the person's, as npm has it.
fn read(text: &str, variables: &Variables) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with([';', '#', '[']));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| {
            let value = value.trim().trim_matches('"');
            (key.trim().trim_matches('"').to_owned(), expanded(value, variables))
        })
        .filter(|(key, value)| !key.is_empty() && !value.is_empty())
        .collect()
}

fn expanded(value: &str, variables: &Variables) -> String {
    let mut result = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        result.push_str(before);
        result.push_str(variables.get(name.trim_end_matches('?')).map_or("", String::as_str));
        rest = behind;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_own_word_counts_and_credentials_are_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let text = "# mine\nregistry = https://me:pass@npm.corp.example/x/\n\
                    @ours:registry=http://localhost:4873\n\
                    //npm.corp.example/x/:_authToken=${TOKEN}\nscript-shell=/bin/evil\n\
                    cafile=\"/etc/corp.pem\"\n";
        fs::write(home.path().join(".npmrc"), text).unwrap();
        let variables = [("HOME", home.path().to_str().unwrap()), ("TOKEN", "t0ken")];
        let mut variables: Variables =
            variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let found = NpmSettings::of(&variables);
        assert_eq!(found.places.main, "https://npm.corp.example/x/");
        assert_eq!(found.places.others, [("@ours".into(), "http://127.0.0.1:4873/".into())]);
        let auth = ("//npm.corp.example/x/:_authToken".to_owned(), "t0ken".to_owned());
        assert!(found.settings.contains(&auth), "{:?}", found.settings);
        assert!(found.settings.iter().all(|(key, _)| key != "script-shell"));
        assert_eq!(found.files, ["/etc/corp.pem"]);
        variables.insert("NPM_CONFIG_REGISTRY".into(), "https://other.example".into());
        assert_eq!(NpmSettings::of(&variables).places.main, "https://other.example/");
    }
}
