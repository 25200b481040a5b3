//! One pool for several hosts: which of them share a process, how many run at once, and what is left
//! when all are closed.

mod bounds;
mod sessions;
mod sharing;

use std::path::Path;

use toolgate_host::{Pool, PoolBounds};
use toolgate_types::Principal;
use toolgate_types::config::Server;

use crate::gate::{Gate, Running};
use crate::processes::config;

/// A pool that is large enough.
fn roomy() -> Pool {
    Pool::new(PoolBounds { servers: 100, memory_bytes: u64::MAX })
}

/// A host with these servers, in a folder.
fn host<const N: usize>(pool: &Pool, folder: &Path, servers: [(&str, Server); N]) -> Running {
    Gate::open()
        .building(|host| host.pool(pool.clone()).workspace(folder))
        .configured(|own| own.servers = config(servers).servers)
        .run()
}

/// The same for somebody, with a variable `TOKEN`.
fn host_of(
    pool: &Pool,
    folder: &Path,
    server: (&str, Server),
    (principal, token): (&str, &str),
) -> Running {
    let variables = [("TOKEN".to_owned(), token.to_owned())].into_iter().collect();
    let principal = Principal::named(principal);
    Gate::open()
        .building(|host| {
            host.pool(pool.clone()).workspace(folder).principal(principal).variables(variables)
        })
        .configured(|own| own.servers = config([server]).servers)
        .run()
}
