//! Attempts on other processes, and on having too many or too much of one's own.

use std::fs;
use std::process::Command;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::attempt::Attempts;

/// `outside` is a process of the same user, with a canary in its environment.
pub(crate) fn attempt(attempts: &mut Attempts, outside: i32) {
    let io = |errno: Errno| std::io::Error::from(errno);
    let environ = fs::read(format!("/proc/{outside}/environ"));
    attempts.try_to("read another's environment", environ);
    attempts.try_to("open another's memory", fs::File::open(format!("/proc/{outside}/mem")));
    attempts.try_to("read the first process's memory", fs::read("/proc/1/mem"));
    attempts.try_to("signal a process outside", kill(Pid::from_raw(outside), None).map_err(io));
    attempts.call("trace the first process", trace(1));
    let child = Command::new("/bin/sleep").arg("30").spawn();
    if let Ok(mut child) = child {
        let pid = child.id() as i32;
        attempts.call("trace a child of its own", trace(pid));
        let _ = child.kill();
        let _ = child.wait();
    }
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let numbers: Vec<i32> =
        open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // One of them is the folder that is being read.
    let inherited = numbers.iter().filter(|number| **number > 2).count() > 1;
    attempts.is("inherit a descriptor", inherited, format!("{numbers:?}"));
    let canary = std::env::vars().any(|(name, _)| name.contains("CANARY"));
    attempts.is("inherit a variable", canary, "");
    let setuid = ["/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount"];
    match setuid.iter().find(|path| fs::metadata(path).is_ok()) {
        Some(path) => {
            let flags = nix::sys::statvfs::statvfs(*path).unwrap().flags();
            let is_honoured = !flags.contains(nix::sys::statvfs::FsFlags::ST_NOSUID);
            attempts.is("gain by a setuid program", is_honoured, path);
        }
        None => attempts.skip("gain by a setuid program", "there is none"),
    }
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let has = |line: &str| status.lines().any(|own| own.split_whitespace().eq(line.split(' ')));
    attempts.is("have a capability", !has("CapEff: 0000000000000000"), "");
    attempts.is("have one to gain", !has("CapBnd: 0000000000000000"), "");
    attempts.is("gain privileges by execution", !has("NoNewPrivs: 1"), "");
    let core = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_CORE).unwrap();
    attempts.is("leave a core", core.0 > 1, core.0);
}

#[allow(unsafe_code, reason = "a feature less for everybody else")]
fn trace(pid: i32) -> i64 {
    // SAFETY: takes numbers only.
    unsafe { libc::ptrace(libc::PTRACE_ATTACH, pid, 0_usize, 0_usize) }
}

/// As many processes as it gets.
pub(crate) fn fork_bomb() {
    let started = (0..4000).map_while(|_| Command::new("/bin/sleep").arg("60").spawn().ok());
    println!("{}", started.count());
}

/// So much memory, used.
pub(crate) fn use_memory(bytes: usize) {
    println!("begun");
    let mut held = Vec::new();
    for _ in 0..bytes >> 20 {
        held.push(vec![1_u8; 1 << 20]);
    }
    println!("all there {}", held.len());
    std::thread::sleep(std::time::Duration::from_secs(60));
}
