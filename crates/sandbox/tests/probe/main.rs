//! The program that tries to get out: it runs behind walls, does what nothing there may do, and says
//! what came of each attempt. It judges nothing; whoever started it knows what it should have found.
//!
//! Told by its arguments: the folder that its attempts go by, and a process outside.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a probe that fails ends loudly")]

#[cfg(target_os = "linux")]
mod attempt;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod named;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod processes;

#[cfg(target_os = "linux")]
use attempt::Attempts;

/// A copy of this program by this name is a helper on a system that lets it build nothing itself.
#[cfg(target_os = "linux")]
const FORBIDDEN: &str = "forbidden-helper";

/// Elsewhere there is nothing to get out of yet.
#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    if std::env::current_exe().unwrap().file_name().is_some_and(|name| name == FORBIDDEN) {
        kernel::forbid_own_mounts();
    }
    toolgate_sandbox::init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["attempts", around, pid, ports @ ..] => {
            let mut attempts = Attempts;
            kernel::outlive_limits();
            files::attempt(&mut attempts, around.as_ref());
            processes::attempt(&mut attempts, pid.parse().unwrap());
            network::attempt(&mut attempts, around.as_ref(), ports);
            kernel::attempt(&mut attempts);
        }
        ["fork-bomb"] => processes::fork_bomb(),
        ["memory", bytes] => processes::use_memory(bytes.parse().unwrap()),
        ["fill", file, bytes] => files::fill(file.as_ref(), bytes.parse().unwrap()),
        ["reach", address] => println!("{}", network::reaches(address)),
        ["attempts-past-names", name, port, other] => {
            named::attempt(&mut Attempts, name, port, other);
        }
        ["talk", host] => println!("{}", named::talks(host)),
        ["bind", _] if !kernel::has_landlock() => println!("no Landlock"),
        ["bind", path] => println!("{}", std::os::unix::net::UnixListener::bind(path).is_ok()),
        ["call", path] => println!("{}", std::os::unix::net::UnixStream::connect(path).is_ok()),
        ["nothing"] => {}
        part => unreachable!("no such part: {part:?}"),
    }
}
