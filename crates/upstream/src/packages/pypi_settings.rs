//! The person's settings for Python packages: those of uv, else those of pip. A project's `uv.toml`,
//! `pyproject.toml` or `pip.conf` is never looked at.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolgate_types::Variables;

use super::registry_places::{RegistryPlaces, place};

const USUAL: &str = "https://pypi.org/simple";

pub(super) struct PypiSettings {
    pub(super) places: RegistryPlaces,
    /// Variables for uv.
    pub(super) settings: Vec<(String, String)>,
    pub(super) files: Vec<String>,
}

/// What one source says; what it does not say another may.
#[derive(Default)]
struct Indexes {
    main: Option<String>,
    others: Vec<String>,
    certificates: Option<String>,
}

/// `uv.toml`, as far as it names registries.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct UvFile {
    index: Vec<UvIndex>,
    index_url: Option<String>,
    extra_index_url: Vec<String>,
    pip: UvPip,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct UvPip {
    index_url: Option<String>,
    extra_index_url: Vec<String>,
}

#[derive(Deserialize)]
struct UvIndex {
    url: String,
    #[serde(default)]
    default: bool,
}

impl PypiSettings {
    pub(super) fn of(variables: &Variables) -> Self {
        let mut indexes = Indexes::default();
        let config = variables.get("XDG_CONFIG_HOME").map(PathBuf::from);
        let home = variables.get("HOME").map(PathBuf::from);
        let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
        let own = |name: &str| config.as_ref().map(|folder| folder.join(name));
        indexes.fill(of_variables(variables, ["UV_DEFAULT_INDEX", "UV_INDEX_URL"], "UV"));
        for file in [own("uv/uv.toml"), Some("/etc/uv/uv.toml".into())].into_iter().flatten() {
            indexes.fill(of_uv_file(&file));
        }
        indexes.fill(of_variables(variables, ["PIP_INDEX_URL", "PIP_INDEX_URL"], "PIP"));
        let named = variables.get("PIP_CONFIG_FILE").map(PathBuf::from);
        let of_home = home.as_ref().map(|home| home.join(".pip/pip.conf"));
        for file in [named, own("pip/pip.conf"), of_home, Some("/etc/pip.conf".into())] {
            indexes.fill(file.map(|file| of_pip_file(&file)).unwrap_or_default());
        }
        indexes.into_settings(variables)
    }
}

impl Indexes {
    /// What is known stays.
    fn fill(&mut self, other: Self) {
        if self.main.is_none() && self.others.is_empty() {
            (self.main, self.others) = (other.main, other.others);
        }
        self.certificates = self.certificates.take().or(other.certificates);
    }

    fn into_settings(self, variables: &Variables) -> PypiSettings {
        let named = self.main.iter().chain(&self.others);
        // A registry that wants a password is asked with it, and kept without it.
        let with_password = named
            .filter(|url| url.contains('@'))
            .filter_map(|url| Some((place(url)?, url.clone())));
        let mut settings: Vec<(String, String)> = with_password.collect();
        let files: Vec<String> = self.certificates.into_iter().collect();
        if !variables.contains_key("SSL_CERT_FILE") {
            settings.extend(files.iter().map(|file| ("SSL_CERT_FILE".to_owned(), file.clone())));
        }
        let others = self.others.iter().filter_map(|url| place(url));
        let places = RegistryPlaces {
            main: self.main.and_then(|url| place(&url)).unwrap_or_else(|| USUAL.to_owned()),
            others: others.map(|url| (String::new(), url)).collect(),
        };
        PypiSettings { places, settings, files }
    }
}

fn of_variables(variables: &Variables, main: [&str; 2], tool: &str) -> Indexes {
    let words = |name: &str| {
        let text = variables.get(name).map_or("", String::as_str);
        // `name=url` or a URL alone.
        text.split_whitespace().map(|word| match word.split_once("=http") {
            Some((_, rest)) => format!("http{rest}"),
            None => word.to_owned(),
        })
    };
    let (indexes, extra) = (format!("{tool}_INDEX"), format!("{tool}_EXTRA_INDEX_URL"));
    Indexes {
        main: main.iter().find_map(|name| variables.get(*name)).cloned(),
        others: words(&indexes).chain(words(&extra)).collect(),
        certificates: variables.get(&format!("{tool}_CERT")).cloned(),
    }
}

fn of_uv_file(file: &Path) -> Indexes {
    let text = fs::read_to_string(file).unwrap_or_default();
    let UvFile { index, index_url, extra_index_url, pip } =
        toml::from_str(&text).unwrap_or_default();
    let (default, others): (Vec<_>, Vec<_>) = index.into_iter().partition(|index| index.default);
    let default = default.into_iter().next().map(|index| index.url);
    let others = others.into_iter().map(|index| index.url);
    Indexes {
        main: default.or(index_url).or(pip.index_url),
        others: others.chain(extra_index_url).chain(pip.extra_index_url).collect(),
        certificates: None,
    }
}

/// `key = value` lines, of which the values of some go on in the next lines.
fn of_pip_file(file: &Path) -> Indexes {
    let text = fs::read_to_string(file).unwrap_or_default();
    let (mut found, mut key) = (Indexes::default(), String::new());
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        let value = match line.split_once('=').filter(|_| !line.starts_with([' ', '\t'])) {
            Some((name, value)) => {
                key = name.trim().to_owned();
                value.trim()
            }
            None => line.trim(),
        };
        match key.as_str() {
            _ if value.is_empty() || value.starts_with('[') => {}
            "index-url" => found.main = Some(value.to_owned()),
            "extra-index-url" => {
                found.others.extend(value.split_whitespace().map(ToOwned::to_owned));
            }
            "cert" => found.certificates = Some(value.to_owned()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(home: &Path, more: &[(&str, &str)]) -> Variables {
        let own = ("HOME".to_owned(), home.display().to_string());
        let more = more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        more.chain([own]).collect()
    }

    #[test]
    fn what_uv_is_told_counts_before_what_pip_is_told() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".config/uv")).unwrap();
        fs::create_dir_all(home.path().join(".config/pip")).unwrap();
        let pip = "[global]\nindex-url = https://u:p@pip.example/simple\nextra-index-url =\n    \
                   https://more.example/simple\n";
        fs::write(home.path().join(".config/pip/pip.conf"), pip).unwrap();
        let places = |more: &[(&str, &str)]| PypiSettings::of(&with(home.path(), more)).places;
        assert_eq!(places(&[]).main, "https://pip.example/simple");
        assert_eq!(places(&[]).others, [(String::new(), "https://more.example/simple".into())]);
        let uv = "[[index]]\nurl = \"https://uv.example/simple\"\ndefault = true\n";
        fs::write(home.path().join(".config/uv/uv.toml"), uv).unwrap();
        assert_eq!(places(&[]).main, "https://uv.example/simple");
        let told = places(&[("UV_DEFAULT_INDEX", "http://localhost:80/simple")]);
        assert_eq!(told.main, "http://127.0.0.1/simple");
    }
}
