//! How often the gate asks for memory while it carries a call over HTTP: at most forty times, in either era.
//!
//! It runs whole on the test's own thread, with records on the disk and tokens that are looked at. Server and
//! client have threads of their own and nothing but sockets, so that what is counted is the gate's alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "clippy.toml exempts tests, not what they share"
)]

mod callers;
mod client;
mod config;
mod era;
mod gate;
mod http;
mod server;

use allocation_counter::measure;
use tokio::runtime::Builder;

use client::Client;
use era::Era;
use gate::Gate;
use server::McpServer;

/// What a call may cost.
const MOST: f64 = 40.0;

/// Connections, tables and caches are as large as they get after so many calls.
const WARM_UP: u32 = 100;

/// What both measurements have in common, as waking the client, is in neither's share of their difference.
const FEW: u32 = 200;
const MANY: u32 = 1_200;

#[test]
fn a_call_of_the_older_era_takes_at_most_forty_allocations() {
    hold(Era::Legacy);
}

#[test]
fn a_call_of_the_newer_era_takes_at_most_forty_allocations() {
    hold(Era::Modern);
}

fn hold(era: Era) {
    let allocations = allocations_of_a_call(era);
    eprintln!("{allocations:.1} allocations a call ({era:?})");
    assert!(allocations <= MOST, "{allocations:.1} allocations a call, and {MOST} is the most");
}

fn allocations_of_a_call(era: Era) -> f64 {
    let server = McpServer::start(era);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let gate = runtime.block_on(Gate::start(&server));
    let mut client = Client::start(era, &gate);
    let mut carry = |calls| {
        let counted = measure(|| runtime.block_on(client.call(calls)));
        counted.count_total
    };
    carry(WARM_UP);
    let (few, many) = (carry(FEW), carry(MANY));
    // None of them was refused or answered by anybody else, and each has its record.
    let calls = WARM_UP + FEW + MANY;
    assert_eq!(server.calls(), calls);
    assert_eq!(runtime.block_on(gate.recorded_calls()), calls);
    // The folder of the records goes with the gate, and nobody is to write there then.
    drop(runtime);
    let difference = many.checked_sub(few).expect("more calls take more allocations");
    difference as f64 / f64::from(MANY - FEW)
}
