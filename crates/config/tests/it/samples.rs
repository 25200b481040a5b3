//! The sample files of `tests/config/`: each bad one breaks the rule it is named after, each good
//! one means what its snapshot says. How the names are to be read stands in the README there.

mod rules;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use toolgate_config::{McpConfigLoadResult, Problem, Severity, show};
use toolgate_types::ConfigSource;
use toolgate_types::config::{Config, Entry};

use crate::support::{Found, World};

/// A sample file, and as what it is to be loaded.
struct Sample {
    name: String,
    /// The name without prefix, variant and extension.
    rule: String,
    path: PathBuf,
    stance: Stance,
}

#[derive(PartialEq)]
enum Stance {
    Project,
    Global,
    Strict,
}

fn samples(folder: &str) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/config").join(folder);
    let mut samples: Vec<Sample> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| name.ends_with(".toml") || name.ends_with(".json"))
        .map(|(name, path)| {
            let (stance, rest) = match name.split_once("--") {
                Some(("global", rest)) => (Stance::Global, rest),
                Some(("strict", rest)) => (Stance::Strict, rest),
                _ => (Stance::Project, name.as_str()),
            };
            let stem = rest.rsplit_once('.').unwrap().0;
            let rule = stem.split("--").next().unwrap().to_owned();
            Sample { name, rule, path, stance }
        })
        .collect();
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!samples.is_empty());
    samples
}

impl Sample {
    fn load(&self) -> McpConfigLoadResult {
        let world = World::new()
            .env("SAMPLE_TOKEN", "canary:secret")
            .env("SAMPLE_LINES", "one\r\nX-Admin: yes")
            .env("SAMPLE_BLANK", " ")
            .env("SAMPLE_FOLDER", "/opt/samples");
        let global = self.path.to_str().unwrap();
        match self.stance {
            Stance::Project => world.path(&self.path).load(),
            Stance::Global => world.env("TOOLGATE_GLOBAL_CONFIG", global).load(),
            Stance::Strict => world.env("TOOLGATE_GLOBAL_CONFIG", global).strict().load(),
        }
    }

    /// The problems as a person sees them, with the bare name of the file.
    fn render(&self, problems: &[Problem]) -> String {
        let named = problems.iter().cloned().map(|mut problem| {
            assert_eq!(*problem.source, ConfigSource::File(self.path.clone()), "{problem}");
            problem.source = Arc::new(ConfigSource::File(self.name.clone().into()));
            problem.to_string()
        });
        named.collect::<Vec<_>>().join("\n")
    }
}

/// Rules about a file as a whole: no key to name, and where it cannot be read, no line.
const OF_THE_FILE: [&str; 6] =
    ["toml-syntax", "json-syntax", "not-a-table", "number-range", "not-utf8", "not-a-file"];
const WITHOUT_LINE: [&str; 1] = ["not-a-file"];

/// Shows: S0-47, S4-5.
#[test]
fn every_bad_sample_breaks_exactly_the_rule_it_is_named_after() {
    let mut report = String::new();
    for sample in samples("invalid") {
        if sample.rule == "seatbelt-elsewhere" && cfg!(target_os = "macos") {
            continue;
        }
        let loaded = sample.load();
        let shown = sample.render(&loaded.problems);
        let errors = loaded.problems.iter().filter(|p| p.severity == Severity::Error);
        let errors: Vec<&Problem> = errors.collect();
        assert!(!errors.is_empty(), "{} loads:\n{shown}", sample.name);
        for error in errors {
            assert_eq!(error.rule, sample.rule, "{}:\n{shown}", sample.name);
            let needs_key = !OF_THE_FILE.contains(&error.rule);
            assert!(!error.key.is_empty() || !needs_key, "no key: {error}");
            assert!(error.line > 0 || WITHOUT_LINE.contains(&error.rule), "no line: {error}");
        }
        assert!(!shown.contains("hunter2") && !shown.contains("canary"), "{shown}");
        assert!(!shown.contains("pasted"), "{shown}");
        report.push_str(&format!("{shown}\n\n"));
    }
    insta::assert_snapshot!("invalid", report);
}

#[test]
fn every_lint_sample_draws_its_warning_and_still_loads() {
    let mut report = String::new();
    for sample in samples("lint") {
        let loaded = sample.load();
        let shown = sample.render(&loaded.problems);
        assert!(!loaded.problems.is_empty(), "{} draws no warning", sample.name);
        for problem in &loaded.problems {
            assert_eq!(problem.severity, Severity::Warning, "{shown}");
            assert_eq!(problem.rule, sample.rule, "{}:\n{shown}", sample.name);
            assert!(!problem.key.is_empty() && problem.line > 0, "{problem}");
            assert!(problem.help.is_some(), "a warning without advice: {problem}");
        }
        assert_eq!(loaded.rejected.len(), 0, "{shown}");
        assert_eq!(loaded.sources.len(), 1, "{shown}");
        report.push_str(&format!("{shown}\n\n"));
    }
    insta::assert_snapshot!("lint", report);
}

/// Shows: S0-18, S1-20, S1-30, S3-46, S4-13.
#[test]
fn every_example_of_the_documents_means_what_its_snapshot_says() {
    for sample in samples("valid") {
        let loaded = sample.load();
        assert!(loaded.problems.is_empty(), "{}", sample.render(&loaded.problems));
        let mut meaning = normalised(&loaded.config);
        meaning.insert("shape".into(), loaded.sources[0].shape.as_str().into());
        let meaning = serde_json::to_string_pretty(&meaning).unwrap();
        assert!(!meaning.contains("hunter2") && !meaning.contains("canary"), "{meaning}");
        insta::with_settings!({
            snapshot_path => "snapshots/valid",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(sample.name.as_str(), meaning);
        });
    }
}

/// Shows: S1-30, S1-51, S1-52.
#[test]
fn the_published_project_entry_switches_the_published_global_one_off() {
    let path = |name: &str| {
        let sample = samples("valid").into_iter().find(|sample| sample.name == name).unwrap();
        sample.path.to_str().unwrap().to_owned()
    };
    let world = World::new().env("CODELIA_CONFIG_PATH", path("s1-practical-1-registry.json"));
    assert!(world.load_clean().server("mcp-registry-public").enabled);
    let project = fs::read(path("s1-disable-global.json")).unwrap();
    let loaded = world.file(".codelia/config.json", project).load_clean();
    assert_eq!(loaded.ids(), ["mcp-registry-public"]);
    assert!(!loaded.server("mcp-registry-public").enabled);
}

/// Shows: C3.
#[test]
fn a_native_file_means_the_same_in_toml_and_in_json() {
    let meaning = |name: &str| {
        let sample = samples("valid").into_iter().find(|sample| sample.name == name).unwrap();
        let loaded = sample.load();
        (normalised(&loaded.config), format!("{:?}", loaded.config.servers.keys()))
    };
    assert_eq!(meaning("global--native.toml"), meaning("global--native.json"));
}

/// Every entry, the policies, and the settings that are not as they are by default.
pub(crate) fn normalised(config: &Config) -> Map<String, Value> {
    let mut out = Map::new();
    put(&mut out, "servers", &config.servers, show::server);
    put(&mut out, "tools", &config.tools, show::tool);
    put(&mut out, "bundles", &config.bundles, show::bundle);
    put(&mut out, "roles", &config.roles, show::role);
    put(&mut out, "workflows", &config.workflows, show::workflow);
    if !config.policies.is_empty() {
        let policies =
            config.policies.iter().map(|entry| Value::Object(show::policy(&entry.value)));
        out.insert("policies".into(), policies.collect());
    }
    let default = show::settings(&Config::default());
    let settings = show::settings(config).into_iter();
    out.extend(settings.filter(|(section, value)| default.get(section) != Some(value)));
    out
}

fn put<'a, Id: ToString + 'a, T: 'a>(
    out: &mut Map<String, Value>,
    name: &str,
    entries: impl IntoIterator<Item = (&'a Id, &'a Entry<T>)>,
    show: impl Fn(&T) -> Map<String, Value>,
) {
    let entries = entries.into_iter();
    let shown = entries.map(|(id, entry)| (id.to_string(), Value::Object(show(&entry.value))));
    let shown: Map<String, Value> = shown.collect();
    if !shown.is_empty() {
        out.insert(name.to_owned(), Value::Object(shown));
    }
}
