//! Parts of a program that starts another one for good.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use toolgate_sandbox::{DetachedProgram, Environment, detach};

use crate::say;

fn start(program: &Path, part: &[&str], stderr: Option<File>) -> DetachedProgram {
    let environment: Environment = [("ONLY", "this")].into_iter().collect();
    let args: Vec<&str> = ["somebody"].iter().chain(part).copied().collect();
    detach(program, &args, &environment, stderr).unwrap()
}

fn ourselves() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

/// Starts a part for good, with a descriptor of ours that is not closed at exec, and says what it
/// says until it ends; then stays.
pub(crate) fn let_go(part: &[&str]) {
    let open = File::open("/dev/null").unwrap();
    nix::fcntl::fcntl(&open, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let DetachedProgram { stdout, pid } = start(&ourselves(), part, None);
    say(&format!("started {pid}"));
    for line in BufReader::new(stdout).lines() {
        say(&line.unwrap());
    }
    say("over");
    crate::stay();
}

/// The same with its standard error in a file.
pub(crate) fn let_go_complaining(file: &str, part: &[&str]) {
    let DetachedProgram { mut stdout, .. } =
        start(&ourselves(), part, Some(File::create(file).unwrap()));
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    say("over");
}

/// Says why a program could not be started.
pub(crate) fn fail_to_let_go(program: &str) {
    let started = detach(Path::new(program), &["nobody"], &Environment::default(), None);
    say(&started.unwrap_err().to_string());
}
