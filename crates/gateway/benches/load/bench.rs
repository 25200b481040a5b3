//! The benchmark: everything in one run, and the budgets beside what was measured.

mod cells;
mod disk;
mod holding;
mod starting;
mod targets;
mod wide;
mod windows;

use std::fs;

use serde_json::{Value, json};

pub(crate) use self::holding::hold;
pub(crate) use self::wide::listing as wide_gate;
use crate::{Extent, Failure, Run};

/// The page and the figures.
pub(crate) fn run(run: &Run) -> Result<(String, Value), Failure> {
    let load_before = load_average();
    let started = starting::measure(run)?;
    let opened = windows::measure(run)?;
    let cells = cells::measure(run)?;
    let disk = disk::measure(run)?;
    let held = holding::measure(run)?;
    let wide = wide::measure(run)?;
    let binary = fs::metadata(&run.gate)?.len();
    let targets = targets::all(&cells, &started, &opened, (&held, &wide, &disk), binary);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let how = match run.extent {
        Extent::Whole => "`cargo xtask bench`, dist",
        Extent::Tenth => "a tenth, on a debug build: only to see that it works",
    };
    let page = format!(
        "{how}. {cores} cores, which also run server and load generator; loopback. Load average \
         before {load_before}, at the end {}.\n\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
        load_average(),
        targets::table(&targets),
        cells.table(),
        disk.table(),
        started.table(),
        opened.table(),
        held.table(),
        wide.table(),
    );
    let figures = json!({
        "cores": cores,
        "loadBefore": load_before,
        "loadAfter": load_average(),
        "cells": cells.json(),
        "disk": disk.json(),
        "start": started.json(),
        "windows": opened.json(),
        "memory": held.json(),
        "wide": wide.json(),
        "binaryBytes": binary,
        "targets": targets.iter().map(targets::Target::json).collect::<Vec<_>>(),
    });
    Ok((page, figures))
}

/// The part of it about calls.
pub(crate) fn calls(run: &Run) -> Result<String, Failure> {
    let (cells, disk) = (cells::measure(run)?, disk::measure(run)?);
    Ok(format!("{}\n{}", cells.table(), disk.table()))
}

/// The part of it about long lists.
pub(crate) fn wide(run: &Run) -> Result<String, Failure> {
    Ok(wide::measure(run)?.table())
}

pub(crate) fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// The one in the middle.
pub(crate) fn middle(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
