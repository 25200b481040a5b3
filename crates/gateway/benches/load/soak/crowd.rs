//! A hundred windows at the same moment, with no daemon there: one of them starts it.

use std::fs;
use std::time::Instant;

use crate::gate::{Config, Home, Limits};
use crate::process::memory_of;
use crate::server::Era;
use crate::window::{Daemon, Window};
use crate::{Extent, Failure, Run};

pub(crate) fn run(run: &Run) -> Result<String, Failure> {
    let count = if run.extent == Extent::Whole { 100 } else { 20 };
    let mark = format!("crowd-{}", std::process::id());
    let config = Config::new(Limits::default()).local("s", Era::Legacy, &mark)?;
    let home = Home::new(run.folder.path(), "c", config)?;
    let began = Instant::now();
    let mut windows = Vec::new();
    for _ in 0..count {
        windows.push(Window::start(&home, &run.gate, "project")?);
    }
    for window in &mut windows {
        window.begin()?;
        window.call("s__echo", "all of us")?;
    }
    let took = began.elapsed();
    let daemon = Daemon::of(&home)?;
    let daemons = daemons_of(&home)?;
    if daemons != [daemon.0] {
        return Err(format!("{} daemons instead of one", daemons.len()).into());
    }
    let shims = windows.iter().map(|window| memory_of(window.shim()?));
    let shims: u64 = shims.collect::<Result<Vec<_>, Failure>>()?.iter().sum();
    let memory = memory_of(daemon.0)?;
    drop((windows, daemon));
    Ok(format!(
        "{count} windows started at the same moment with no daemon there: one daemon, each window \
         with an answer of its server after {:.1} s. The daemon has {:.1} MB then, a shim {:.1} MB, \
         most of it the mapped program.\n",
        took.as_secs_f64(),
        memory as f64 / 1e6,
        shims as f64 / 1e6 / f64::from(count),
    ))
}

/// The daemons that have this home.
fn daemons_of(home: &Home) -> Result<Vec<u32>, Failure> {
    let own = format!("HOME={}\0", home.path().display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let path = entry?.path();
        // A process may end while it is looked at.
        let read = |name: &str| fs::read(path.join(name)).unwrap_or_default();
        let is_daemon = String::from_utf8_lossy(&read("cmdline")).contains("__daemon");
        if is_daemon && String::from_utf8_lossy(&read("environ")).contains(&own) {
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("an odd /proc")?;
            found.push(name.parse()?);
        }
    }
    Ok(found)
}
