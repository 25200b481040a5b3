//! What is left of a daemon that crashed while it held tokens: its log, what its windows said, its folders,
//! and no copy of its memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::LoginTry;
use crate::daemon::house::{Daemon, Ends, Window, eventually, house, is_alive, teller};
use crate::stdio::client::Client;
use crate::support::World;

/// A window whose shim, and so the daemon that it starts, may write core files of any length.
fn window_that_may_leave_cores(world: &World) -> Window {
    let program = assert_cmd::cargo::cargo_bin!("toolgate").display().to_string();
    let script = r#"ulimit -c "$(ulimit -Hc)"; exec "$0" stdio"#;
    Window::begin(Client::start_command(world, &[], &[], &["sh", "-c", script, &program]))
}

/// How long a core file of this process may be, and how long it could have one be.
fn core_limits(pid: u32) -> (u64, u64) {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
    let mut values = line.split_whitespace().map(|word| word.parse().unwrap_or(u64::MAX));
    (values.next().unwrap(), values.next().unwrap())
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().filter_map(Result::ok) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => files_below(&entry.path(), found),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}

/// Whether a token of the provider's, which are numbered, stands in this.
fn holds_token(bytes: &[u8]) -> bool {
    ["access-", "refresh-"].iter().any(|name| {
        bytes.windows(name.len() + 1).any(|part| {
            part.starts_with(name.as_bytes()) && part.last().is_some_and(u8::is_ascii_digit)
        })
    })
}

#[test]
fn secrets_leaking_a_daemon_that_crashes_leaves_no_token_but_in_the_credentials() {
    for signal in ["ABRT", "SEGV"] {
        let began = SystemTime::now();
        let login = LoginTry::of(house());
        let _ends = Ends(&login.world);
        login.world.local("other", &teller());
        login.log_in(true).ok();
        let mut window = window_that_may_leave_cores(&login.world);
        assert_eq!(window.call("one__t"), "done");
        let server: u32 = window.call("other__who").parse().unwrap();
        let daemon = Daemon::of(&login.world);
        let (daemons, most) = core_limits(daemon.pid);
        assert!(daemons <= 1, "{daemons}");
        // What it started for the person is not ours to change.
        assert_eq!(core_limits(server), (most, most));

        // The first of a fault that did not happen only takes the handler away that looks for the stack's end.
        eventually("it crashes", || {
            daemon.signal(signal);
            !is_alive(daemon.pid)
        });
        window.client.finish();
        let said = window.client.ended();
        assert!(!holds_token(said.stdout.as_bytes()), "{said:#?}");
        assert!(!holds_token(said.stderr.as_bytes()), "{said:#?}");
        let mut files = Vec::new();
        files_below(login.world.home().parent().unwrap(), &mut files);
        let with_token = |path: &PathBuf| holds_token(&fs::read(path).unwrap_or_default());
        let holding: Vec<PathBuf> = files.into_iter().filter(with_token).collect();
        let [only] = &holding[..] else { unreachable!("{holding:?}") };
        assert!(only.ends_with("mcp-auth.json"), "{only:?}");
        // The folder that a daemon works in, where the kernel puts a core file unless it is told otherwise.
        let is_new = |path: &Path| {
            fs::metadata(path).and_then(|file| file.modified()).is_ok_and(|time| time >= began)
        };
        let cores = fs::read_dir("/").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        let is_core = |path: &PathBuf| path.to_string_lossy().starts_with("/core") && is_new(path);
        let cores: Vec<PathBuf> = cores.filter(is_core).collect();
        assert!(cores.is_empty(), "{cores:?}");
    }
}
