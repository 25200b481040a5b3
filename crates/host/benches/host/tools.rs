//! Ten thousand tools of fifty servers: listed when something changed and when nothing did, and
//! found again by each form of their names.
//!
//! The servers are asked once, before anything is measured; how fast they are is not the question.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use toolgate_host::{Audience, Host, ToolView};
use toolgate_types::config::{Entry, Naming, Server as Configured};
use toolgate_types::{EntryStanding, Trust};

use crate::serving::Server;
use crate::{Extent, Failure, world};

/// The host's own tools: two lists of resources and reading one, a list of prompts and getting one.
const OWN: usize = 5;

pub(crate) fn run(extent: Extent) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let servers = match extent {
        Extent::Whole => 50,
        Extent::Tenth => 5,
    };
    let (host, switched) = host(servers)?;
    let view = runtime.block_on(host.list_tools(&Audience::MODEL));
    if view.tools().len() != servers * 200 + OWN {
        return Err(format!("{} tools: {:?}", view.tools().len(), view.set_aside()).into());
    }
    let mut criterion = match extent {
        Extent::Whole => Criterion::default().measurement_time(Duration::from_secs(5)),
        Extent::Tenth => Criterion::default()
            .warm_up_time(Duration::from_millis(1))
            .measurement_time(Duration::from_millis(10))
            .sample_size(10),
    };
    first(&mut criterion, &runtime, servers);
    list(&mut criterion, &runtime, &host, &switched)?;
    resolve(&mut criterion, &host, &view)?;
    Ok(())
}

/// A host with so many servers, and the entry of one that is switched off: to set it again changes the
/// host without a word to any server.
fn host(count: usize) -> Result<(Host, Entry<Configured>), Failure> {
    let mut servers = Map::new();
    let mut builder = world::open();
    for n in 0..count {
        let (name, product) = (format!("service-{n:02}"), format!("product{n:02}"));
        let server = Server::legacy(world::two_hundred_tools(&product));
        builder = world::in_process(builder, &name, server)?;
        servers.insert(name, json!({ "transport": "builtin" }));
    }
    servers.insert("switched-off".to_owned(), json!({ "transport": "builtin", "enabled": false }));
    let config = world::config(Value::Object(servers))?;
    let switched = config.servers.last().ok_or("no server")?.1.clone();
    Ok((builder.config(config).build(), switched))
}

/// The first list of an audience, with nothing to take over from an earlier one.
fn first(criterion: &mut Criterion, runtime: &Runtime, servers: usize) {
    let asked = || {
        let host = host(servers).map(|(host, _)| host).ok();
        if let Some(host) = &host {
            runtime.block_on(host.list_tools(&Audience::named(Naming::Bare)));
        }
        host
    };
    let read_all = |host: Option<Host>| {
        let view = host.as_ref().map(|host| runtime.block_on(host.list_tools(&Audience::MODEL)));
        black_box(view.as_deref().map(read));
        (host, view)
    };
    let mut group = criterion.benchmark_group("list");
    group.sample_size(10);
    group.bench_function("first, hashed, read", |bencher| {
        bencher.iter_batched(asked, read_all, BatchSize::PerIteration);
    });
}

fn list(
    criterion: &mut Criterion,
    runtime: &Runtime,
    host: &Host,
    switched: &Entry<Configured>,
) -> Result<(), Failure> {
    let id = world::id("switched-off")?;
    let change = || {
        let standing = EntryStanding::Accepted(Trust::Trusted);
        runtime.block_on(host.set_server(id.clone(), switched.clone(), standing));
    };
    let mut group = criterion.benchmark_group("list");
    for naming in [Naming::Hashed, Naming::Joined] {
        let audience = Audience { naming, ..Audience::MODEL };
        let listed = || runtime.block_on(host.list_tools(&audience));
        group.bench_function(format!("changed, {naming}, read"), |bencher| {
            let read_all = |()| {
                let view = listed();
                black_box(read(&view));
                view
            };
            bencher.iter_batched(change, read_all, BatchSize::PerIteration);
        });
        group.bench_function(format!("changed, {naming}, not read"), |bencher| {
            bencher.iter_batched(change, |()| listed(), BatchSize::PerIteration);
        });
    }
    let listed = || runtime.block_on(host.list_tools(&Audience::MODEL));
    group.bench_function("unchanged, read", |bencher| bencher.iter(|| read(&listed())));
    group.bench_function("unchanged, not read", |bencher| bencher.iter(listed));
    // The floor: whoever hands such a list on has to copy it at least once.
    let view = listed();
    group.bench_function("copied", |bencher| bencher.iter_with_large_drop(|| copied(&view)));
    Ok(())
}

/// Everything that a model is shown.
fn read(view: &ToolView) -> usize {
    let sizes = view.tools().map(|tool| {
        let (name, description) = (black_box(tool.name()), black_box(tool.description()));
        name.len() + description.len() + black_box(tool.parameters()).get().len()
    });
    sizes.sum()
}

fn copied(view: &ToolView) -> Vec<[String; 3]> {
    let texts = view
        .tools()
        .map(|tool| [tool.name(), tool.description(), tool.parameters().get()].map(str::to_owned));
    texts.collect()
}

fn resolve(criterion: &mut Criterion, host: &Host, view: &ToolView) -> Result<(), Failure> {
    let mut group = criterion.benchmark_group("resolve");
    for &naming in Naming::ALL {
        let listed = host.view(&Audience { naming, resource_tools: false, ..Audience::MODEL });
        let names: Vec<&str> = listed.tools().map(|tool| tool.name()).collect();
        // Far from each other, so that it is not always the same few that are in the caches.
        let mut places = (0..names.len()).cycle().step_by(7919);
        let mut next = || places.next().map_or("", |place| names[place]);
        let name = next();
        // A tool's own name means something only where names are bare.
        let view = if naming == Naming::Bare { &*listed } else { view };
        if view.resolve(name).is_none() {
            return Err(format!("`{name}` is not found").into());
        }
        group.bench_function(naming.to_string(), |bencher| {
            bencher.iter(|| view.resolve(black_box(next())).is_some());
        });
    }
    Ok(())
}
