//! The words of `npx`, `npm exec`, `uvx` and `uv tool run`: options first, then the package or its program,
//! then what the program is given.

use super::{BadPackageServer, PackageName, PackageProgram, PackageServer, PackageSource};
use crate::ConfigText;

/// What stands before the package, without a value and without a meaning here: walls answer it.
const QUIET: [&str; 7] =
    ["-y", "--yes", "-q", "--quiet", "--silent", "--isolated", "--no-progress"];

type ReadServer = Result<PackageServer, BadPackageServer>;

/// `None`: the command is no package manager's way to start a program.
pub(super) fn read(command: &str, args: &[ConfigText]) -> Option<ReadServer> {
    let word = |at: usize| args.get(at).map(ConfigText::expose);
    Some(match (command, word(0), word(1)) {
        ("npx", ..) => Words::new("npx", args).npm(),
        ("npm", Some("exec" | "x"), _) => Words::new("npm exec", args.get(1..)?).npm(),
        ("uvx", ..) => Words::new("uvx", args).pypi(),
        ("uv", Some("tool"), Some("run")) => Words::new("uv tool run", args.get(2..)?).pypi(),
        _ => return None,
    })
}

struct Words<'a> {
    command: &'static str,
    rest: &'a [ConfigText],
}

/// An option with what stands behind its `=`.
enum Word<'a> {
    Option {
        name: &'a str,
        value: Option<&'a str>,
    },
    Operand(&'a str),
    /// `--`: no option follows.
    End,
}

impl<'a> Words<'a> {
    fn new(command: &'static str, rest: &'a [ConfigText]) -> Self {
        Self { command, rest }
    }

    fn next(&mut self) -> Result<Option<Word<'a>>, BadPackageServer> {
        let Some(text) = self.take()? else { return Ok(None) };
        Ok(Some(match text.split_once('=') {
            _ if text == "--" => Word::End,
            Some((name, value)) if name.starts_with("--") => {
                Word::Option { name, value: Some(value) }
            }
            _ if text.starts_with('-') => Word::Option { name: text, value: None },
            _ => Word::Operand(text),
        }))
    }

    /// What says what is fetched is shown to a person, so it is no secret.
    fn take(&mut self) -> Result<Option<&'a str>, BadPackageServer> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        match first {
            ConfigText::Plain(text) => Ok(Some(text)),
            _ => Err(BadPackageServer::Secret),
        }
    }

    fn value(&mut self, name: &str, given: Option<&'a str>) -> Result<&'a str, BadPackageServer> {
        let value = match given {
            Some(value) => Some(value),
            None => self.take()?,
        };
        value.ok_or_else(|| BadPackageServer::NoValue { option: name.to_owned() })
    }

    fn unknown(&self, option: &str) -> BadPackageServer {
        BadPackageServer::UnknownOption { command: self.command, option: option.to_owned() }
    }

    fn npm(mut self) -> ReadServer {
        let mut packages = Vec::new();
        let program = loop {
            match self.next()? {
                Some(Word::Option { name, value: None }) if QUIET.contains(&name) => {}
                Some(Word::Option { name: name @ ("-p" | "--package"), value }) => {
                    packages.push(self.package(PackageSource::Npm, name, value)?);
                }
                Some(Word::Option { name, .. }) => return Err(self.unknown(name)),
                // For `npm exec -- name` and `npx -- name` it stands before the operand.
                Some(Word::End) => break self.take()?,
                Some(Word::Operand(text)) => break Some(text),
                None => break None,
            }
        };
        // `npm exec name -- args` takes the mark away, `npx name -- args` passes it on.
        if let Some((first, rest)) = self.rest.split_first()
            && self.command == "npm exec"
            && first.expose() == "--"
        {
            self.rest = rest;
        }
        self.server(PackageSource::Npm, packages, program, None)
    }

    fn pypi(mut self) -> ReadServer {
        let (mut from, mut with, mut python) = (None, Vec::new(), None);
        let program = loop {
            match self.next()? {
                Some(Word::Option { name, value: None }) if QUIET.contains(&name) => {}
                Some(Word::Option { name: "--from", value }) => {
                    from = Some(self.package(PackageSource::PyPi, "--from", value)?);
                }
                Some(Word::Option { name: "--with", value }) => {
                    for one in self.value("--with", value)?.split(',') {
                        with.push(PackageName::parse(PackageSource::PyPi, one.trim())?);
                    }
                }
                Some(Word::Option { name: name @ ("-p" | "--python"), value }) => {
                    python = Some(self.value(name, value)?.to_owned());
                }
                Some(Word::Option { name, .. }) => return Err(self.unknown(name)),
                Some(Word::End) => break self.take()?,
                Some(Word::Operand(text)) => break Some(text),
                None => break None,
            }
        };
        if let Some(wanted) = &python {
            let is_version = |c: char| c.is_ascii_digit() || c == '.';
            if wanted.is_empty() || !wanted.chars().all(is_version) {
                return Err(self.unknown(&format!("--python {wanted}")));
            }
        }
        let is_named = from.is_some();
        let mut packages: Vec<PackageName> = from.into_iter().collect();
        if let (false, Some(text)) = (is_named, program) {
            packages.push(PackageName::parse(PackageSource::PyPi, text)?);
        }
        let named = packages.first().map(|package| package.name().to_owned());
        packages.extend(with);
        let program = program.and_then(|text| if is_named { Some(text.to_owned()) } else { named });
        match program {
            Some(program) if is_program(&program) => Ok(PackageServer {
                source: PackageSource::PyPi,
                packages,
                program: PackageProgram::Named(program),
                python,
                args: self.rest.to_vec(),
            }),
            Some(program) => Err(BadPackageServer::NotFromRegistry(program)),
            None => Err(BadPackageServer::NoPackage { command: self.command }),
        }
    }

    fn package(
        &mut self,
        source: PackageSource,
        name: &str,
        value: Option<&'a str>,
    ) -> Result<PackageName, BadPackageServer> {
        PackageName::parse(source, self.value(name, value)?)
    }

    fn server(
        self,
        source: PackageSource,
        mut packages: Vec<PackageName>,
        program: Option<&str>,
        python: Option<String>,
    ) -> ReadServer {
        let Some(program) = program else {
            return Err(BadPackageServer::NoPackage { command: self.command });
        };
        let program = match packages.is_empty() {
            true => {
                packages.push(PackageName::parse(source, program)?);
                PackageProgram::OfPackage
            }
            false if is_program(program) => PackageProgram::Named(program.to_owned()),
            false => return Err(BadPackageServer::NotFromRegistry(program.to_owned())),
        };
        Ok(PackageServer { source, packages, program, python, args: self.rest.to_vec() })
    }
}

/// A name in a folder of programs, and no way out of it.
fn is_program(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.starts_with(['.', '-']) && !name.is_empty() && name.chars().all(is_letter)
}
