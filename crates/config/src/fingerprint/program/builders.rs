//! Programs that build or start what a file of the project describes.

use crate::fingerprint::runs::ProgramRuns;
use crate::shell::ShellWord;

/// A program, and the files that it reads by themselves.
const BUILDERS: [(&[&str], &[&str]); 16] = [
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task", "go-task"], &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"]),
    (&["rake", "bundle"], &["Rakefile", "Gemfile", "Gemfile.lock"]),
    (
        &["cargo"],
        &["Cargo.toml", "Cargo.lock", "build.rs", ".cargo/config.toml", "rust-toolchain.toml"],
    ),
    (&["go"], &["go.mod", "go.sum", "go.work", "main.go"]),
    (&["dotnet"], &["global.json", "Directory.Build.props", "Directory.Build.targets"]),
    (&["mvn", "mvnw"], &["pom.xml", ".mvn/jvm.config", ".mvn/maven.config"]),
    (
        &["gradle", "gradlew"],
        &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle.properties",
        ],
    ),
    (&["nix", "nix-shell"], &["flake.nix", "flake.lock", "shell.nix", "default.nix"]),
    (&["bazel", "bazelisk"], &["MODULE.bazel", "WORKSPACE", "BUILD", "BUILD.bazel", ".bazelrc"]),
    (&["mix"], &["mix.exs", "mix.lock"]),
    (&["swift"], &["Package.swift", "Package.resolved"]),
    (&["zig"], &["build.zig", "build.zig.zon"]),
    (&["stack", "cabal"], &["stack.yaml", "package.yaml", "cabal.project"]),
    (&["docker-compose", "podman-compose"], COMPOSED),
];

const COMPOSED: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "Dockerfile",
    ".env",
];

impl ProgramRuns<'_, '_> {
    pub(super) fn builder(&mut self, name: &str, rest: &[ShellWord]) {
        if matches!(name, "docker" | "podman" | "nerdctl") {
            return self.container(name, rest);
        }
        if name == "java" {
            return self.java(rest);
        }
        let Some((_, files)) = BUILDERS.iter().find(|(names, _)| names.contains(&name)) else {
            return;
        };
        files.iter().for_each(|file| self.take(file));
        self.note(format!(
            "`{name}` finds out by itself what it builds and runs; of that, only the files shown here \
             are watched"
        ));
    }

    fn container(&mut self, name: &str, rest: &[ShellWord]) {
        let has = |wanted: &str| rest.iter().any(|word| word.text == wanted);
        if has("compose") || has("build") {
            COMPOSED.iter().for_each(|file| self.take(file));
            self.note(format!("what the images of `{name}` hold is not watched"));
        } else if has("run") && !rest.iter().any(|word| word.text.contains("@sha256:")) {
            self.note(format!(
                "the image that `{name}` runs may be another one each time; nothing of it is watched"
            ));
        }
        let mounts = |word: &ShellWord| {
            let options = ["-v", "--volume", "--mount"];
            options.iter().any(|option| word.text.starts_with(option))
        };
        if rest.iter().any(mounts) {
            self.note("what a container runs from a mounted folder is not watched".to_owned());
        }
    }

    /// Folders and archives that classes are loaded from.
    fn java(&mut self, rest: &[ShellWord]) {
        for pair in rest.windows(2) {
            let [option, value] = pair else { continue };
            let options = ["-cp", "-classpath", "--class-path", "-p", "--module-path"];
            if !options.contains(&&*option.text) {
                continue;
            }
            for element in value.text.split(':') {
                for path in self.paths(element.trim_end_matches('*')) {
                    if self.files.take_folder(&path, |_| true).is_err() {
                        let element = self.shown(element);
                        self.note(format!("{element} holds too much to be watched whole"));
                    }
                }
            }
        }
    }
}
