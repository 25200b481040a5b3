//! A description with everything looked up: exactly what the system call will be given.
//!
//! Whoever has a plan has checked it; the child only carries it out. It is never shown, because
//! secrets stand in it as they are.

use std::ffi::{CString, OsStr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use toolgate_types::ConfigText;
use toolgate_types::config::{Confinement, NetworkAccess};

use crate::walls::Walls;
use crate::{
    Description, Environment, PACKAGE_PLACE, SandboxGround, SandboxRoom, SpawnError, core_file,
    program,
};

pub(crate) struct SpawnPlan {
    /// The file to execute.
    pub(crate) program: CString,
    pub(crate) folder: CString,
    /// The first is the name as the entry wrote it.
    pub(crate) args: Vec<CString>,
    /// `NAME=value` each.
    pub(crate) env: Vec<CString>,
    /// What it is kept within.
    pub(crate) walls: Option<Walls>,
    /// Where is written down what it uses, where it is learned from; it travels beside the plan.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only learned there"))]
    pub(crate) learned: Option<OwnedFd>,
    /// How long a core file it may write, where that is not what it would inherit.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only given back there"))]
    pub(crate) core_bytes: Option<u64>,
}

impl SpawnPlan {
    pub(crate) fn new(description: &Description) -> Result<Self, SpawnError> {
        let Description { program: name, folder, .. } = description;
        let file = program::find(name, folder, description.environment().get("PATH"))?;
        Self::of_program(description, &file)
    }

    /// The same with the file to execute found.
    fn of_program(description: &Description, file: &Path) -> Result<Self, SpawnError> {
        let Description { program: name, args, folder, .. } = description;
        let folder_text = text(folder.as_os_str(), || "the working directory".to_owned())?;
        check_folder(folder)?;
        let environment = description.environment();
        let what = || "the command".to_owned();
        let mut all_args = vec![text(OsStr::new(name.expose()), what)?];
        for (index, arg) in args.iter().enumerate() {
            let what = || format!("argument {}", index + 1);
            all_args.push(text(OsStr::new(arg.expose()), what)?);
        }
        Ok(Self {
            program: text(file.as_os_str(), what)?,
            folder: folder_text,
            args: all_args,
            env: variables(&environment)?,
            walls: None,
            learned: None,
            core_bytes: core_file::limit_before(),
        })
    }

    /// The same behind walls.
    pub(crate) fn confined(
        description: &Description,
        confinement: &Confinement,
        ground: &SandboxGround,
        room: &SandboxRoom,
    ) -> Result<Self, SpawnError> {
        Self::within(description, room, |programs, folder| {
            Walls::of(confinement, (ground, room), programs, folder)
        })
    }

    /// The same behind wide ones, to learn from; what it uses is written down there.
    #[cfg(target_os = "linux")]
    pub(crate) fn to_learn_from(
        description: &Description,
        confinement: &Confinement,
        (ground, room): (&SandboxGround, &SandboxRoom),
        learned: OwnedFd,
    ) -> Result<Self, SpawnError> {
        let plan = Self::within(description, room, |programs, folder| {
            Walls::to_learn_from(confinement, (ground, room), programs, folder)
        })?;
        Ok(Self { learned: Some(learned), ..plan })
    }

    fn within(
        description: &Description,
        room: &SandboxRoom,
        walls: impl FnOnce(&[PathBuf], &Path) -> Result<Walls, SpawnError>,
    ) -> Result<Self, SpawnError> {
        let (environment, folder) = (description.environment(), &description.folder);
        let real = folder
            .canonicalize()
            .map_err(|source| SpawnError::Folder { path: folder.clone(), source })?;
        let path = environment.get("PATH");
        let found = |name: &ConfigText| {
            Ok::<_, SpawnError>(by_real_folder(&program::find(name, folder, path)?))
        };
        let others = room.programs.iter().map(|name| found(&ConfigText::Plain(name.clone())));
        let mut programs = others.collect::<Result<Vec<_>, _>>()?;
        let file = match Path::new(description.program.expose()) {
            // It is seen there only, and by whoever is started.
            inside if room.package.is_some() && inside.starts_with(PACKAGE_PLACE) => {
                inside.to_owned()
            }
            _ => {
                let file = found(&description.program)?;
                programs.push(file.clone());
                file
            }
        };
        let walls = walls(&programs, &real)?;
        let mut environment = environment;
        // Where these point is not shown; what stands in its place is private.
        environment.set("TMPDIR", "/tmp");
        environment.remove("XDG_RUNTIME_DIR");
        if walls.asks_gate() {
            name_proxy(&mut environment, &walls.network);
        }
        let mut plan = Self::of_program(description, &file)?;
        plan.folder = text(real.as_os_str(), || "the working directory".to_owned())?;
        plan.env = variables(&environment)?;
        plan.walls = Some(walls);
        Ok(plan)
    }
}

/// For programs that ask a proxy before they ask for a name. Another proxy could not be reached.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "there is none to name"))]
fn name_proxy(environment: &mut Environment, access: &NetworkAccess) {
    #[cfg(target_os = "linux")]
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        environment.set(name, format!("http://127.0.0.1:{}", crate::network::proxy_port(access)));
    }
    for name in ["ALL_PROXY", "all_proxy"] {
        environment.remove(name);
    }
    for name in ["NO_PROXY", "no_proxy"] {
        environment.set(name, "localhost,127.0.0.1,::1");
    }
}

/// A file by the real path of its folder; the file itself may be a link, whose name it goes by.
fn by_real_folder(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

impl SpawnPlan {
    /// A program whose file is known, in the root folder. The first argument is its name.
    pub(crate) fn detached(
        program: &Path,
        args: &[&str],
        environment: &Environment,
    ) -> Result<Self, SpawnError> {
        let argument =
            |(index, arg): (usize, &&str)| text(OsStr::new(arg), || format!("argument {index}"));
        Ok(Self {
            program: text(program.as_os_str(), || "the command".to_owned())?,
            folder: c"/".to_owned(),
            args: args.iter().enumerate().map(argument).collect::<Result<_, _>>()?,
            env: variables(environment)?,
            walls: None,
            learned: None,
            core_bytes: core_file::limit_before(),
        })
    }
}

fn check_folder(folder: &Path) -> Result<(), SpawnError> {
    if !folder.is_absolute() {
        return Err(SpawnError::RelativeFolder(folder.to_owned()));
    }
    let problem = match folder.metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => nix::errno::Errno::ENOTDIR.into(),
        Err(error) => error,
    };
    Err(SpawnError::Folder { path: folder.to_owned(), source: problem })
}

fn variables(environment: &Environment) -> Result<Vec<CString>, SpawnError> {
    let mut variables = Vec::new();
    for (name, value) in environment.iter() {
        // Escaped, so that a control character in a name does nothing to a terminal.
        let shown = || format!("variable {name:?}");
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(SpawnError::VariableName { what: shown() });
        }
        let mut pair = name.to_owned();
        pair.push("=");
        pair.push(value);
        variables.push(text(&pair, shown)?);
    }
    Ok(variables)
}

fn text(value: &OsStr, what: impl Fn() -> String) -> Result<CString, SpawnError> {
    CString::new(value.as_bytes()).map_err(|_| SpawnError::Nul { what: what() })
}
