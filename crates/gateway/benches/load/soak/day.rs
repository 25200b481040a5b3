//! A day in ten minutes: windows come and go, call, list, leave; servers stop and start again; the
//! configuration changes now and then. What is looked at is whether memory goes on growing.

use std::time::{Duration, Instant};

use super::reloads::files_of;
use crate::gate::{Config, Home, Limits};
use crate::process::{memory_of, playing};
use crate::server::Era;
use crate::window::{Daemon, Window};
use crate::{Extent, Failure, Run};

const WINDOWS: usize = 6;
const SERVERS: usize = 4;

/// How fast memory may grow once everything was used, in bytes for each hour of the day that the
/// minutes stand for.
const SLOPE: f64 = 512.0 * 1024.0;

pub(crate) fn run(run: &Run) -> Result<String, Failure> {
    let time = match run.extent {
        Extent::Whole => Duration::from_secs(600),
        Extent::Tenth => Duration::from_secs(8),
    };
    let mark = format!("day-{}", std::process::id());
    let config = |extra: bool| -> Result<Config, Failure> {
        let mut config = Config::new(Limits::default());
        for number in 0..SERVERS + usize::from(extra) {
            let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
            // They stop when nobody used them for a while, as they would in a day.
            config = config.local(&format!("s{number}"), era, &mark)?.idle(700);
        }
        Ok(config)
    };
    let home = Home::new(run.folder.path(), "d", config(false)?)?;
    let keeper = Window::open(&home, &run.gate, "project")?;
    let daemon = Daemon::of(&home)?;
    let (began, mut turn, mut calls) = (Instant::now(), 0_usize, 0_usize);
    let mut windows: Vec<Window> = Vec::new();
    let mut samples = Vec::new();
    while began.elapsed() < time {
        turn += 1;
        if windows.len() >= WINDOWS {
            drop(windows.remove(turn % WINDOWS));
        }
        windows.push(Window::open(&home, &run.gate, &format!("folder{}", turn % 3))?);
        for (number, window) in windows.iter_mut().enumerate() {
            window.list()?;
            for call in 0..20 {
                let server = (turn + number + call) % SERVERS;
                window.call(&format!("s{server}__echo"), "once more")?;
                calls += 1;
            }
        }
        if turn % 7 == 0 {
            home.rewrite(config(turn % 2 == 0)?)?;
        }
        // Long enough for servers to stop.
        if turn % 5 == 0 {
            std::thread::sleep(Duration::from_millis(900));
        }
        samples.push((began.elapsed().as_secs_f64(), memory_of(daemon.0)? as f64));
    }
    let files = files_of(daemon.0)?;
    drop((windows, keeper));
    let last = memory_of(daemon.0)?;
    drop(daemon);
    if playing(&mark)? > 0 {
        return Err("processes are left".into());
    }
    // The first third is for what is made once.
    let later: Vec<_> = samples.split_off(samples.len() / 3);
    let hour = time.as_secs_f64() / 24.0;
    let slope = slope(&later) * hour;
    if run.extent == Extent::Whole && slope > SLOPE {
        return Err(format!("memory grows by {slope:.0} bytes an hour").into());
    }
    Ok(format!(
        "A day in {} s: {turn} windows in three folders, {calls} calls, servers that stop and start, \
         changes of the configuration. Memory after the first third grows by {:.0} KB for each hour \
         of that day (the last figure is {:.1} MB); {files} open files.\n",
        time.as_secs(),
        slope / 1e3,
        last as f64 / 1e6,
    ))
}

/// Of the straight line that fits best, a second.
fn slope(samples: &[(f64, f64)]) -> f64 {
    let count = samples.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| samples.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|sample| sample.0), mean(|sample| sample.1));
    let above: f64 = samples.iter().map(|sample| (sample.0 - x) * (sample.1 - y)).sum();
    let below: f64 = samples.iter().map(|sample| (sample.0 - x).powi(2)).sum();
    above / below.max(1e-9)
}
