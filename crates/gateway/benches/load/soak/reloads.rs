//! The configuration changes again and again under load: no call is dropped, and nothing grows.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::gate::{Config, Home, Limits};
use crate::process::{memory_of, playing};
use crate::server::Era;
use crate::window::{Daemon, Window};
use crate::{Extent, Failure, Run};

const CALLERS: usize = 4;

/// What is steady may waver by so much.
const WAVERING: u64 = 6 << 20;

pub(crate) fn run(run: &Run) -> Result<String, Failure> {
    let reloads = if run.extent == Extent::Whole { 1000 } else { 40 };
    let mark = format!("reload-{}", std::process::id());
    let with = |changing: bool| -> Result<Config, Failure> {
        let config = Config::new(Limits::default()).local("kept", Era::Legacy, &mark)?;
        match changing {
            true => config.local("coming", Era::Modern, &mark),
            false => Ok(config),
        }
    };
    let home = Home::new(run.folder.path(), "r", with(false)?)?;
    let mut watcher = Window::open(&home, &run.gate, "project")?;
    let daemon = Daemon::of(&home)?;
    let (stop, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let mut window = Window::open(&home, &run.gate, "project")?;
        let (stop, calls) = (Arc::clone(&stop), Arc::clone(&calls));
        callers.push(std::thread::spawn(move || -> Result<(), Failure> {
            while !stop.load(Ordering::Relaxed) {
                window.call("kept__echo", "still here")?;
                calls.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }));
    }
    let mut steady = None;
    for number in 0..reloads {
        let comes = number % 2 == 0;
        home.rewrite(with(comes)?)?;
        while watcher.list()?.contains("coming__echo") != comes {}
        if comes {
            watcher.call("coming__echo", "just came")?;
        }
        // What is made once is made by then.
        if number == reloads / 5 {
            steady = Some((memory_of(daemon.0)?, files_of(daemon.0)?));
        }
    }
    let (memory, files) = (memory_of(daemon.0)?, files_of(daemon.0)?);
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.join().map_err(|_| "a caller panicked")??;
    }
    let (memory_before, files_before) = steady.ok_or("too few")?;
    drop((watcher, daemon));
    let left = playing(&mark)?;
    if left > 0 {
        return Err(format!("{left} processes are left").into());
    }
    if files > files_before + 8 {
        return Err(format!("open files grew from {files_before} to {files}").into());
    }
    let grown = memory.saturating_sub(memory_before);
    if run.extent == Extent::Whole && grown > WAVERING {
        return Err(format!("memory grew by {grown} bytes").into());
    }
    let calls = calls.load(Ordering::Relaxed);
    Ok(format!(
        "{reloads} changes of the configuration under the load of {CALLERS} windows: {calls} calls, \
         none dropped. From the first fifth of the changes to the last, open files went from \
         {files_before} to {files}, memory from {:.1} to {:.1} MB.\n",
        memory_before as f64 / 1e6,
        memory as f64 / 1e6,
    ))
}

pub(super) fn files_of(process: u32) -> Result<usize, Failure> {
    Ok(fs::read_dir(format!("/proc/{process}/fd"))?.count())
}
