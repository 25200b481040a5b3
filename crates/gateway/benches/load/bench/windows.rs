//! Windows of agents: from nothing to the first list, what the shim costs, and five of them with ten
//! local servers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cells::megabytes;
use super::middle;
use crate::gate::{Config, Home, Limits};
use crate::process::{children_of, cpu_of, memory_of, own_memory_of, playing};
use crate::server::Era;
use crate::window::{Daemon, Window};
use crate::{Extent, Failure, Run};

const SERVERS: usize = 10;
const WINDOWS: usize = 5;

/// Longer than a shim looks whether something still passes.
const LULL: Duration = Duration::from_secs(6);

pub(crate) struct Windows {
    /// In milliseconds: with nothing known, so that all ten servers start.
    pub(crate) unknown: f64,
    /// With the snapshot, and no daemon yet.
    pub(crate) cold: f64,
    /// With the daemon there.
    pub(crate) attached: f64,
    /// Children of the daemon after the cold ones.
    pub(crate) children: usize,
    /// In microseconds for one call.
    pub(crate) shim_cpu: f64,
    /// Of one that has listed its tools and waits.
    pub(crate) shim_memory: u64,
    /// Without the mapped program.
    pub(crate) shim_own_memory: u64,
    /// Right after many calls.
    busy_shim_memory: u64,
    daemon_memory: u64,
    pub(crate) processes: usize,
}

pub(crate) fn measure(run: &Run) -> Result<Windows, Failure> {
    let mark = format!("windows-{}", std::process::id());
    let mut config = Config::new(Limits::default());
    for number in 0..SERVERS {
        config = config.local(&format!("s{number}"), Era::Legacy, &mark)?;
    }
    let home = Home::new(run.folder.path(), "w", config)?;
    let listed = |window: &mut Window| -> Result<(), Failure> {
        window.begin()?;
        let list = window.list()?;
        let all = (0..SERVERS).all(|number| list.contains(&format!("\"s{number}__echo\"")));
        if all { Ok(()) } else { Err(format!("not all are listed: {list:.200}").into()) }
    };
    let time = |home: &Home| -> Result<(f64, Window), Failure> {
        let began = Instant::now();
        let mut window = Window::start(home, &run.gate, "project")?;
        listed(&mut window)?;
        Ok((began.elapsed().as_secs_f64() * 1e3, window))
    };
    let (unknown, window) = time(&home)?;
    drop((Daemon::of(&home)?, window));
    let starts = if run.extent == Extent::Whole { 20 } else { 2 };
    let (mut cold, mut attached, mut children) = (Vec::new(), Vec::new(), 0);
    for _ in 0..starts {
        let (took, first) = time(&home)?;
        cold.push(took);
        let daemon = Daemon::of(&home)?;
        children = children.max(children_of(daemon.0)?);
        let (took, second) = time(&home)?;
        attached.push(took);
        drop((first, second, daemon));
    }
    let mut windows = Vec::new();
    for _ in 0..WINDOWS {
        windows.push(Window::open(&home, &run.gate, "project")?);
    }
    let daemon = Daemon::of(&home)?;
    for window in &mut windows {
        for number in 0..SERVERS {
            window.call(&format!("s{number}__echo"), "here")?;
        }
    }
    let processes = playing(&mark)?;
    let calls = if run.extent == Extent::Whole { 20_000 } else { 500 };
    let window = windows.first_mut().ok_or("no window")?;
    let shim = window.shim()?;
    let before = cpu_of(shim)?;
    for _ in 0..calls {
        window.call("s0__echo", "here it is")?;
    }
    let shim_cpu = (cpu_of(shim)? - before).as_secs_f64() * 1e6 / f64::from(calls);
    let (busy_shim_memory, daemon_memory) = (memory_of(shim)?, memory_of(daemon.0)?);
    let (_, waiting) = time(&home)?;
    std::thread::sleep(LULL);
    let shim = waiting.shim()?;
    let (shim_memory, shim_own_memory) = (memory_of(shim)?, own_memory_of(shim)?);
    drop((windows, waiting, daemon));
    let (cold, attached) = (middle(cold.into_iter()), middle(attached.into_iter()));
    Ok(Windows {
        unknown,
        cold,
        attached,
        children,
        shim_cpu,
        shim_memory,
        shim_own_memory,
        busy_shim_memory,
        daemon_memory,
        processes,
    })
}

impl Windows {
    pub(crate) fn table(&self) -> String {
        format!(
            "| windows over `toolgate stdio`, ten local servers | |\n|---|---|\n\
             | start to first list, nothing known: all ten start | {:.0} ms |\n\
             | start to first list, from the snapshot, no daemon yet, median | {:.1} ms |\n\
             | children of the daemon after it | {} |\n\
             | start to first list, daemon there, median | {:.1} ms |\n\
             | CPU of the shim for one call | {:.1} µs |\n\
             | memory of a shim that waits | {:.1} MB |\n\
             | of it without the mapped program | {:.1} MB |\n\
             | memory of a shim right after many calls | {:.1} MB |\n\
             | memory of the daemon, ten servers running | {:.1} MB |\n\
             | processes of servers, five windows in one folder | {} |\n",
            self.unknown,
            self.cold,
            self.children,
            self.attached,
            self.shim_cpu,
            megabytes(self.shim_memory),
            megabytes(self.shim_own_memory),
            megabytes(self.busy_shim_memory),
            megabytes(self.daemon_memory),
            self.processes,
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "unknownMs": self.unknown,
            "coldMs": self.cold,
            "attachedMs": self.attached,
            "children": self.children,
            "shimCpuUs": self.shim_cpu,
            "shimBytes": self.shim_memory,
            "shimOwnBytes": self.shim_own_memory,
            "busyShimBytes": self.busy_shim_memory,
            "daemonBytes": self.daemon_memory,
            "processes": self.processes,
        })
    }
}
