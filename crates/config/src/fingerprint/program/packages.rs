//! Package managers: the scripts of a `package.json` or `pyproject.toml`, and programs that are fetched
//! by name.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::fingerprint::runs::{ProgramRuns, base};
use crate::shell::{ShellScript, ShellWord};

const MANAGERS: [&str; 13] = [
    "bun", "deno", "hatch", "npm", "pdm", "pipenv", "pipx", "pnpm", "poetry", "rye", "uv", "yarn",
    "yarnpkg",
];

const RUNNERS: [&str; 6] = ["bunx", "npx", "pnpx", "uvx", "pipx", "yarnx"];

/// What they read by themselves.
const SETTINGS: [&str; 14] = [
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnp.cjs",
    ".pnpmfile.cjs",
    "pnpm-workspace.yaml",
    "pyproject.toml",
    "uv.toml",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile",
    "Pipfile.lock",
    "hatch.toml",
];

/// No manifest that a person wrote is larger.
const LARGEST_MANIFEST: u64 = 1 << 20;

pub(super) fn is_manager(name: &str) -> bool {
    MANAGERS.contains(&name)
}

pub(super) fn is_runner(name: &str) -> bool {
    RUNNERS.contains(&name)
}

/// The parts of a `package.json` that run.
#[derive(Deserialize, Default)]
struct ScriptTable {
    #[serde(default, alias = "tasks")]
    scripts: BTreeMap<String, serde_json::Value>,
}

/// The programs that a package brings itself: one of its own name, or several.
#[derive(Deserialize)]
struct OwnPrograms {
    name: Option<String>,
    bin: Option<serde_json::Value>,
}

impl OwnPrograms {
    fn program(&self, name: &str) -> Option<&str> {
        let bin = self.bin.as_ref()?;
        let own = self.name.as_deref().map(base);
        bin.get(name).and_then(|path| path.as_str()).or(bin.as_str().filter(|_| own == Some(name)))
    }
}

/// The parts of a `pyproject.toml` that run.
#[derive(Deserialize, Default)]
struct PythonProject {
    #[serde(default)]
    project: EntryPoints,
    #[serde(default)]
    tool: PyprojectTools,
}

#[derive(Deserialize, Default)]
struct PyprojectTools {
    #[serde(default)]
    poetry: EntryPoints,
}

#[derive(Deserialize, Default)]
struct EntryPoints {
    #[serde(default)]
    scripts: BTreeMap<String, toml::Value>,
}

impl ProgramRuns<'_, '_> {
    pub(super) fn package_manager(&mut self, name: &str, rest: &[ShellWord], depth: usize) {
        SETTINGS.iter().for_each(|file| self.take(file));
        let operand = |word: &&ShellWord| !word.text.starts_with('-');
        let first = rest.iter().find(operand).map(|word| word.text.as_str());
        if let (
            "uv" | "npm" | "pnpm" | "yarn" | "pipx" | "bun",
            Some("tool" | "exec" | "dlx" | "x" | "run"),
        ) = (name, first)
        {
            let at = rest.iter().position(|word| Some(&*word.text) == first).unwrap_or_default();
            let rest = &rest[at + 1..];
            let is_tool = first == Some("tool");
            let rest = if is_tool { rest.get(1..).unwrap_or_default() } else { rest };
            if first != Some("run") || name == "pipx" {
                self.package_runner(if is_tool { "uv tool run" } else { name }, rest);
            }
        }
        for word in rest.iter().filter(operand) {
            self.script_of_manifest(&word.text, depth);
            self.entry_point(&word.text);
            if word.text.ends_with(".py") {
                let searched = self.paths("src");
                self.script_file(&word.text, searched);
            }
        }
        for pair in rest.windows(2) {
            if let [option, module] = pair
                && matches!(&*option.text, "-m" | "--module")
            {
                let searched = [self.paths("."), self.paths("src")].concat();
                self.module(&module.text, searched);
            }
        }
        if rest
            .iter()
            .any(|word| matches!(&*word.text, "-w" | "--workspace" | "--workspaces" | "-r"))
        {
            self.note(format!("what `{name}` runs in other packages is not watched"));
        }
    }

    /// `npm run build`: the text that `package.json` or `deno.json` has for it, and what it brings
    /// before and after.
    fn script_of_manifest(&mut self, name: &str, depth: usize) {
        for file in ["package.json", "deno.json"] {
            for path in self.paths(file) {
                let text = self.files.text(&path, LARGEST_MANIFEST).unwrap_or_default();
                let Ok(table) = serde_json::from_str::<ScriptTable>(&text) else { continue };
                for name in [name.to_owned(), format!("pre{name}"), format!("post{name}")] {
                    let Some(script) = table.scripts.get(&name).and_then(|value| value.as_str())
                    else {
                        continue;
                    };
                    self.files.take_place(&path);
                    for command in &ShellScript::read(script).commands {
                        for word in &command.words {
                            self.take(&format!("node_modules/.bin/{}", base(&word.text)));
                        }
                    }
                    self.script(script, depth + 1, true);
                }
            }
        }
    }

    /// `uv run serve`: the module that `pyproject.toml` has for it.
    fn entry_point(&mut self, name: &str) {
        for path in self.paths("pyproject.toml") {
            let text = self.files.text(&path, LARGEST_MANIFEST).unwrap_or_default();
            let Ok(project) = toml::from_str::<PythonProject>(&text) else { continue };
            let both = [project.project.scripts, project.tool.poetry.scripts];
            for target in both.iter().filter_map(|scripts| scripts.get(name)) {
                let Some(target) = target.as_str() else { continue };
                let module = target.split(':').next().unwrap_or_default();
                let searched = [self.paths("."), self.paths("src")].concat();
                self.module(module, searched);
            }
        }
    }

    /// `npx name`: what is installed here by that name, else whatever the registry has.
    pub(super) fn package_runner(&mut self, runner: &str, rest: &[ShellWord]) {
        const NAMING: [&str; 4] = ["-p", "--package", "--from", "--spec"];
        let mut words = rest.iter().map(|word| word.text.as_str());
        let mut named = Vec::new();
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            if NAMING.contains(&option) {
                named.extend(if value.is_empty() { words.next() } else { Some(value) });
            } else if matches!(word, "--python" | "--with" | "-c" | "--call" | "--registry") {
                words.next();
            } else if !word.starts_with('-') && word != "run" {
                self.installed_program(word);
                if named.is_empty() {
                    named.push(word);
                }
                break;
            }
        }
        for package in named {
            let is_path = package.starts_with(['.', '/']);
            if !is_path && !is_fixed(package) {
                let package = self.shown(package);
                self.note(format!(
                    "`{runner}` runs whichever version of {package} there is at each start; nothing \
                     of it is watched"
                ));
            } else if is_path {
                self.note(format!("what `{runner}` builds from the project is not watched"));
            }
        }
    }

    fn installed_program(&mut self, package: &str) {
        let bare = match package.rfind('@') {
            Some(at) if at > 0 => &package[..at],
            _ => package,
        };
        self.take(&format!("node_modules/.bin/{}", base(bare)));
        self.take(&format!("node_modules/{bare}/package.json"));
        for path in self.paths("package.json") {
            let text = self.files.text(&path, LARGEST_MANIFEST).unwrap_or_default();
            let Ok(own) = serde_json::from_str::<OwnPrograms>(&text) else { continue };
            if let Some(program) = own.program(base(bare)) {
                self.files.take_place(&path);
                self.take(program);
            }
        }
    }
}

/// `name@1.2.3` or `name==1.2.3`: one version for ever.
fn is_fixed(package: &str) -> bool {
    let version = package.rsplit_once("==").or_else(|| package.rsplit_once('@'));
    let Some((_, version)) = version else { return false };
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    numbers.split('.').count() >= 3 && numbers.split('.').all(is_number)
}

#[cfg(test)]
mod tests;
