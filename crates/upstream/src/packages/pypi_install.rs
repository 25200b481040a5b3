//! Packages of Python, by uv: wheels alone, which run nothing when they are installed.
//!
//! What has to be built from its sources is refused: building runs what was fetched, and needs more of it
//! from the network while it does.

use std::path::Path;

use toolgate_sandbox::PACKAGE_PLACE;
use toolgate_types::config::{PackageProgram, PackageServer};

use super::fixed_packages::FixedPackages;
use super::install_step::{InstallGround, InstallStep};
use super::package_error::PackageError;
use super::package_room::{PackageRoom, read, write};
use super::registries::Registries;

const WANTED: &str = "wanted.txt";
const LOCK: &str = "requirements.txt";

/// Says where the interpreter itself lies, whatever leads to it.
const WHERE: &str = "import os, sys; print(os.path.realpath(sys.executable))";

/// Puts together what is faster to start with. Nothing depends on it.
const COMPILE: [&str; 4] = ["-m", "compileall", "-q", "-j1"];

pub(super) struct PypiInstalled {
    pub(super) fixed: FixedPackages,
    pub(super) interpreter: String,
}

/// Fetches the packages that an entry names, as they are now.
pub(super) async fn resolve(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    server: &PackageServer,
    registries: &Registries,
) -> Result<PypiInstalled, PackageError> {
    let interpreter = interpreter(ground, (room, tree), server.python.as_deref()).await?;
    let names: Vec<String> = server.packages.iter().map(ToString::to_string).collect();
    write(&tree.join(WANTED), &(names.join("\n") + "\n"))?;
    let home = room.fresh_home()?;
    let fetch = Fetch { ground: *ground, tree, home: &home, registries, interpreter: &interpreter };
    let (wanted, lock) = (seen(WANTED), seen(LOCK));
    let words = ["pip", "compile", &wanted, "-o", &lock, "--generate-hashes", "--no-annotate"];
    fetch.uv("finding versions with uv", &[&words[..], &["--no-header"]].concat()).await?;
    fetch.install().await?;
    let lock = read(&tree.join(LOCK))?;
    let (named, others) = versions(&lock, server)?;
    let PackageProgram::Named(program) = &server.program else {
        return Err(PackageError::Odd("the entry"));
    };
    if tree.join("venv/bin").join(program).symlink_metadata().is_err() {
        let package = names.first().cloned().unwrap_or_default();
        let has = format!("none called {program}");
        return Err(PackageError::NoSuchProgram { package, has });
    }
    let fixed = FixedPackages {
        places: registries.places.clone(),
        program: format!("venv/bin/{program}"),
        named,
        others,
        has_scripts: false,
        files: [(LOCK.to_owned(), lock)].into(),
    };
    compile(ground, (room, tree), &interpreter).await;
    Ok(PypiInstalled { fixed, interpreter })
}

/// Fetches exactly what was fixed.
pub(super) async fn restore(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    (server, fixed): (&PackageServer, &FixedPackages),
    registries: &Registries,
) -> Result<String, PackageError> {
    let interpreter = interpreter(ground, (room, tree), server.python.as_deref()).await?;
    write(&tree.join(LOCK), fixed.files.get(LOCK).ok_or(PackageError::Odd("the store"))?)?;
    let home = room.fresh_home()?;
    let fetch = Fetch { ground: *ground, tree, home: &home, registries, interpreter: &interpreter };
    fetch.install().await?;
    compile(ground, (room, tree), &interpreter).await;
    Ok(interpreter)
}

/// What fetching has in common, step by step.
struct Fetch<'a> {
    ground: InstallGround<'a>,
    tree: &'a Path,
    home: &'a Path,
    registries: &'a Registries,
    interpreter: &'a str,
}

impl Fetch<'_> {
    async fn install(&self) -> Result<(), PackageError> {
        let (venv, lock) = (seen("venv"), seen(LOCK));
        self.uv("making a place with uv", &["venv", "--no-project", &venv]).await?;
        let words = ["pip", "install", "--require-hashes", "--link-mode", "copy", "-r", &lock];
        self.uv_in("fetching with uv", &words, &format!("{venv}/bin/python")).await
    }

    async fn uv(&self, name: &'static str, words: &[&str]) -> Result<(), PackageError> {
        self.uv_in(name, words, self.interpreter).await
    }

    async fn uv_in(
        &self,
        name: &'static str,
        words: &[&str],
        python: &str,
    ) -> Result<(), PackageError> {
        let step = InstallStep {
            network: self.registries.network().await?,
            readable: self.registries.files.clone(),
            programs: vec![self.interpreter.to_owned()],
            env: self.variables(),
            ..self.ground.step(name, self.tree, self.home)
        };
        let mut words = words.to_vec();
        words.extend(["--python", python, "--quiet"]);
        if words.first() == Some(&"pip") {
            words.extend(["--only-binary", ":all:"]);
        }
        step.run("uv", &words).await.map(drop)
    }

    /// Nothing but this: neither a file of the machine nor one of a project is read.
    fn variables(&self) -> Vec<(String, String)> {
        let Registries { places, settings, .. } = self.registries;
        // With the password, where one is known for it.
        let full = |url: &String| {
            let known = settings.iter().find(|(place, _)| place == url);
            known.map_or_else(|| url.clone(), |(_, url)| url.clone())
        };
        let others: Vec<String> = places.others.iter().map(|(_, url)| full(url)).collect();
        let mut env = vec![
            ("UV_NO_CONFIG", "1".to_owned()),
            ("UV_PYTHON_DOWNLOADS", "never".to_owned()),
            ("UV_NO_PROGRESS", "1".to_owned()),
            ("UV_DEFAULT_INDEX", full(&places.main)),
            // Plain addresses have no certificate to be checked.
            ("UV_INSECURE_HOST", insecure_hosts(places.main.as_str(), &others)),
            ("UV_INDEX", others.join(" ")),
        ];
        env.retain(|(_, value)| !value.is_empty());
        let mut env: Vec<(String, String)> =
            env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        env.extend(settings.iter().filter(|(name, _)| !name.contains('/')).cloned());
        env
    }
}

fn insecure_hosts(main: &str, others: &[String]) -> String {
    let plain = [main].into_iter().chain(others.iter().map(String::as_str));
    let plain =
        plain.filter_map(|url| url::Url::parse(url).ok()).filter(|url| url.scheme() == "http");
    let hosts: Vec<String> =
        plain.filter_map(|url| url.host_str().map(ToOwned::to_owned)).collect();
    hosts.join(" ")
}

/// The interpreter itself. What stands in `PATH` may only lead to it.
async fn interpreter(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    version: Option<&str>,
) -> Result<String, PackageError> {
    let home = room.fresh_home()?;
    let step = ground.step("looking for Python", tree, &home);
    let program = version.map_or_else(|| "python3".to_owned(), |wanted| format!("python{wanted}"));
    let said = step.run(&program, &["-I", "-c", WHERE]).await?;
    let path = said.trim();
    match Path::new(path).is_absolute() {
        true => Ok(path.to_owned()),
        false => Err(PackageError::Odd("Python")),
    }
}

/// What was fetched may run now, so there is neither network nor a home with credentials.
async fn compile(
    ground: &InstallGround<'_>,
    (room, tree): (&PackageRoom, &Path),
    interpreter: &str,
) {
    let Ok(home) = room.fresh_home() else { return };
    let mut step = ground.step("compiling", tree, &home);
    step.programs = vec![interpreter.to_owned()];
    let library = seen("venv/lib");
    let words = [&COMPILE[..], &[library.as_str()]].concat();
    if let Err(error) = step.run(&seen("venv/bin/python"), &words).await {
        tracing::debug!(%error, "packages are not compiled");
    }
}

/// `name==version` at the beginning of a line; those that the entry names, and how many others.
fn versions(lock: &str, server: &PackageServer) -> Result<(Vec<String>, usize), PackageError> {
    let fixed = lock.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let fixed: Vec<(&str, &str)> = fixed
        .filter_map(|line| line.split_once("=="))
        .map(|(name, rest)| (name, rest.split([' ', '\\', ';']).next().unwrap_or_default()))
        .collect();
    let mut named = Vec::new();
    for package in &server.packages {
        let name = normal(package.name());
        let found = fixed
            .iter()
            .find(|(fixed, _)| normal(fixed.split('[').next().unwrap_or_default()) == name);
        let (_, version) = found.ok_or(PackageError::Odd("uv"))?;
        named.push(format!("{}=={version}", package.name()));
    }
    let others = fixed.len().saturating_sub(named.len());
    Ok((named, others))
}

/// Names that mean the same: letters of either case, and runs of `-`, `_` and `.`.
fn normal(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn seen(name: &str) -> String {
    format!("{PACKAGE_PLACE}/{name}")
}
