//! What records cost on the disk: how safe they are wanted, beside somebody who writes much, and what making
//! rows of them takes afterwards.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cells::{Way, generate};
use crate::client::Place;
use crate::gate::{Config, Gate, Home, Limits};
use crate::load::{Measured, Plan};
use crate::process::{Role, cpu_of};
use crate::server::Era;
use crate::{Extent, Failure, Run};

pub(crate) struct DiskCosts {
    /// By how safe records are, all of them written before the call.
    policies: Vec<(&'static str, Measured)>,
    /// Pass-through and gate while another process writes to the same disk.
    beside_writer: [Measured; 2],
    /// Of the gate for each call, once nobody calls any more.
    pub(crate) indexing: f64,
}

const POLICIES: [&str; 3] = ["none", "interval", "always"];

pub(crate) fn measure(run: &Run) -> Result<DiskCosts, Failure> {
    let site = Role::start(&["site", Era::Legacy.as_str(), "bench"])?;
    let pass = Role::start(&["pass", &site.url])?;
    let time = match run.extent {
        Extent::Whole => 4_000,
        Extent::Tenth => 60,
    };
    let plan = |place: Place, watched: u32, way: Way, callers: usize| Plan {
        place,
        era: Era::Legacy,
        tool: Some(way.tool()),
        callers,
        warm: Duration::from_millis(time / 10),
        time: Duration::from_millis(time),
        watched,
    };
    let mut policies = Vec::new();
    let (mut indexing, mut plain) = (0.0, None);
    for policy in POLICIES {
        let config = Config::new(Limits::default()).remote("bench", &site.url).synced(policy);
        let home = Home::new(run.folder.path(), &format!("disk-{policy}"), config)?;
        let gate = home.start(&run.gate)?;
        let measured = generate(&plan(gate.place.clone(), gate.id(), Way::GateBefore, 32))?;
        policies.push((policy, measured));
        if policy == POLICIES[0] {
            indexing = settle(&gate)? / (measured.calls as f64 * 1.1);
            plain = Some(gate);
        }
    }
    let gate = plain.ok_or("no gate")?;
    let writer = DiskWriter::start(run.folder.path().join("ballast"));
    let of_pass = Place { url: pass.url.clone(), token: None };
    let beside_writer = [
        generate(&plan(of_pass, pass.id(), Way::Pass, 8))?,
        generate(&plan(gate.place.clone(), gate.id(), Way::GateBefore, 8))?,
    ];
    drop(writer);
    Ok(DiskCosts { policies, beside_writer, indexing })
}

/// What it takes until it does nothing any more, in microseconds.
fn settle(gate: &Gate) -> Result<f64, Failure> {
    let (began, before) = (Instant::now(), cpu_of(gate.id())?);
    let mut used = before;
    while began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1_500));
        let now = cpu_of(gate.id())?;
        if now == used && now > before {
            break;
        }
        used = now;
    }
    Ok((used - before).as_secs_f64() * 1e6)
}

/// Somebody else who writes to the same disk, and wants it there.
struct DiskWriter {
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl DiskWriter {
    fn start(path: PathBuf) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let write = move || -> std::io::Result<()> {
            while !over.load(Ordering::Relaxed) {
                let mut file = File::create(&path)?;
                for _ in 0..64 {
                    file.write_all(&[7; 1 << 20])?;
                }
                file.sync_all()?;
            }
            std::fs::remove_file(&path)
        };
        let thread = std::thread::spawn(move || {
            if let Err(error) = write() {
                println!("nobody writes beside it: {error}");
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for DiskWriter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl DiskCosts {
    /// Calls a second of one policy.
    pub(crate) fn throughput(&self, policy: &str) -> f64 {
        let of = self.policies.iter().find(|(name, _)| *name == policy);
        of.map_or(f64::NAN, |(_, measured)| measured.calls as f64 / measured.seconds)
    }

    pub(crate) fn table(&self) -> String {
        let mut page =
            "| records before the call | callers | calls/s | p50 | p99 | CPU per call |\n\
                        |---|---|---|---|---|---|\n"
                .to_owned();
        let mut row = |what: &str, callers: usize, of: &Measured| {
            let calls = of.calls as f64;
            // Writing to a text cannot fail.
            let _ = writeln!(
                page,
                "| {what} | {callers} | {:.0} | {:.0} µs | {:.0} µs | {:.0} µs |",
                calls / of.seconds,
                of.p50,
                of.p99,
                of.cpu / calls.max(1.0)
            );
        };
        for (policy, measured) in &self.policies {
            row(&format!("`fsync = \"{policy}\"`"), 32, measured);
        }
        let [pass, gate] = &self.beside_writer;
        row("pass-through, beside a process that writes to the same disk", 8, pass);
        row("gate, beside it", 8, gate);
        let _ = writeln!(
            page,
            "\nMaking rows of the records afterwards takes {:.1} µs of CPU a call.",
            self.indexing
        );
        page
    }

    pub(crate) fn json(&self) -> Value {
        let one = |of: &Measured| json!({ "measured": of });
        json!({
            "policies": self.policies.iter().map(|(name, of)| json!({ "fsync": name, "measured": of })).collect::<Vec<_>>(),
            "besideWriter": self.beside_writer.iter().map(one).collect::<Vec<_>>(),
            "indexingMicros": self.indexing,
        })
    }
}
