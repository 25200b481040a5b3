//! Windows that came and left, each in a folder of its own: what the daemon still does for them.

use std::fs;
use std::time::{Duration, Instant};

use crate::gate::{Config, Home, Limits};
use crate::process::cpu_of;
use crate::server::Era;
use crate::window::{Daemon, Window};
use crate::{Extent, Failure, Run};

/// How long the daemon may take to put away what they had.
const SOON: Duration = Duration::from_secs(30);

pub(crate) fn run(run: &Run) -> Result<String, Failure> {
    let (count, idle) = match run.extent {
        Extent::Whole => (200, Duration::from_secs(10)),
        Extent::Tenth => (20, Duration::from_secs(1)),
    };
    let mark = format!("left-{}", std::process::id());
    let config = Config::new(Limits::default()).local("s", Era::Legacy, &mark)?;
    let home = Home::new(run.folder.path(), "l", config)?;
    let mut stays = Window::open(&home, &run.gate, "project")?;
    stays.list()?;
    let daemon = Daemon::of(&home)?;
    let before = watched_by(daemon.0)?;
    for number in 0..count {
        Window::open(&home, &run.gate, &format!("folder{number}"))?.list()?;
    }
    let began = Instant::now();
    while watched_by(daemon.0)? > before {
        if began.elapsed() > SOON {
            return Err("folders of windows that left are still watched".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let used = cpu_of(daemon.0)?;
    std::thread::sleep(idle);
    let used = cpu_of(daemon.0)?.saturating_sub(used);
    drop((stays, daemon));
    Ok(format!(
        "{count} windows came and left, each in a folder of its own: the daemon watches as many \
         folders as before, and used {} ms of CPU in the {} s after that.\n",
        used.as_millis(),
        idle.as_secs(),
    ))
}

/// How many folders a process watches.
fn watched_by(process: u32) -> Result<usize, Failure> {
    let mut watched = 0;
    for entry in fs::read_dir(format!("/proc/{process}/fdinfo"))? {
        // A file may be closed while it is looked at.
        let info = fs::read_to_string(entry?.path()).unwrap_or_default();
        watched += info.lines().filter(|line| line.starts_with("inotify wd:")).count();
    }
    Ok(watched)
}
