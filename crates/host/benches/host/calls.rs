//! One call through the host, beside the same bytes sent with a bare pooled client to the same
//! server. The kinds take turns in short rounds, so that what else the machine does falls on all.

mod bare;
mod figures;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use toolgate_host::{Audience, Call, CallTarget, Host, ToolView};
use toolgate_store::{SqliteStore, Store};
use toolgate_types::OperationOutcome;
use toolgate_types::config::Durability;

use self::bare::Bare;
use self::figures::{Figures, Round, cpu_time};
use crate::serving::Server;
use crate::serving::site::Site;
use crate::{Extent, Failure, world};

const CALLERS: [usize; 2] = [1, 8];

/// What is called, each time in the same way.
#[derive(Clone)]
enum Kind {
    Bare(Arc<Bare>),
    Host(Host, Box<Call>),
}

impl Kind {
    async fn call(&self) -> Result<(), Failure> {
        match self {
            Self::Bare(bare) => bare.post().await,
            Self::Host(host, call) => match host.call(Call::clone(call)).await? {
                OperationOutcome::Done(done) if !done.is_error => Ok(()),
                other => Err(format!("{other:?}").into()),
            },
        }
    }
}

pub(crate) fn run(extent: Extent) -> Result<String, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(extent))
}

async fn measure(extent: Extent) -> Result<String, Failure> {
    let (rounds, calls) = match extent {
        Extent::Whole => (40, 4000),
        Extent::Tenth => (4, 200),
    };
    let folder = tempfile::tempdir()?;
    let mut kinds = kinds().await?;
    kinds.push(("host, in process, recorded", recorded(folder.path(), Durability::Async).await?));
    let first = recorded(&folder.path().join("first"), Durability::BeforeCall).await?;
    kinds.push(("host, in process, recorded first", first));
    let mut report =
        "| callers | what | median | p99 | ratio of medians | calls/s | CPU per call |\n\
                      |---|---|---|---|---|---|---|\n"
            .to_owned();
    for callers in CALLERS {
        let mut all: Vec<Figures> = kinds.iter().map(|_| Figures::default()).collect();
        for number in 0..rounds {
            // Whoever is first would always find the machine as the last one left it.
            for place in 0..kinds.len() {
                let place = (place + number) % kinds.len();
                all[place].add(round(&kinds[place].1, callers, calls).await?);
            }
        }
        for (figures, (what, _)) in all.iter().zip(&kinds) {
            let ratio = figures.ratio_to(&all[0]);
            writeln!(
                report,
                "| {callers} | {what} | {figures} | {ratio:.2} | {} |",
                figures.load()
            )?;
        }
    }
    Ok(report)
}

async fn kinds() -> Result<Vec<(&'static str, Kind)>, Failure> {
    let tools = || world::two_hundred_tools("product");
    let older = Site::open(Server::legacy(tools()))?;
    let newer = Site::open(Server::modern(tools()))?;
    let config = world::config(json!({
        "here": { "transport": "builtin" },
        "older": { "url": older.url },
        "newer": { "url": newer.url },
    }))?;
    let builder = world::in_process(world::open(), "here", Server::legacy(tools()))?;
    let host = builder.config(config).build();
    let view = host.list_tools(&Audience::MODEL).await;
    let of = |server: &str| call_of(&host, &view, server);
    let (in_process, over_older, over_newer) = (of("here")?, of("older")?, of("newer")?);
    for kind in [&in_process, &over_older, &over_newer] {
        kind.call().await?;
    }
    let bare = |site: &Site| -> Result<Kind, Failure> {
        Ok(Kind::Bare(Arc::new(Bare::new(&site.url, site.first_call()?)?)))
    };
    Ok(vec![
        ("bare HTTP", bare(&older)?),
        ("host, HTTP, legacy", over_older),
        ("host, HTTP, modern", over_newer),
        ("host, in process", in_process),
    ])
}

/// The same as in process, with each call in a store: soon, or before it runs.
async fn recorded(folder: &Path, durability: Durability) -> Result<Kind, Failure> {
    let mut config = world::config(json!({ "here": { "transport": "builtin" } }))?;
    config.audit.durability = durability;
    let server = Server::legacy(world::two_hundred_tools("product"));
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder)?);
    let builder = world::in_process(world::open(), "here", server)?;
    let host = builder.config(config).store(Arc::clone(&store)).audit(store).build();
    let view = host.list_tools(&Audience::MODEL).await;
    let kind = call_of(&host, &view, "here")?;
    kind.call().await?;
    Ok(kind)
}

fn call_of(host: &Host, view: &ToolView, server: &str) -> Result<Kind, Failure> {
    let name = format!("{server}.product_search_issues");
    let entry = view.resolve(&name).ok_or_else(|| format!("there is no {name}"))?;
    let arguments = r#"{"project":"octo/hello","query":"is:open label:bug","limit":30}"#;
    let arguments = RawValue::from_string(arguments.to_owned())?;
    let call = Call::new(CallTarget::named(entry.name())).arguments(arguments);
    Ok(Kind::Host(host.clone(), Box::new(call)))
}

/// So many calls, by so many callers at once.
async fn round(kind: &Kind, callers: usize, calls: usize) -> Result<Round, Failure> {
    let (began, used) = (Instant::now(), cpu_time()?);
    let mut calling = JoinSet::new();
    for _ in 0..callers {
        let (kind, mine) = (kind.clone(), calls / callers);
        calling.spawn(async move {
            let mut times = Vec::with_capacity(mine);
            for _ in 0..mine {
                let began = Instant::now();
                kind.call().await?;
                times.push(began.elapsed());
            }
            Ok::<_, Failure>(times)
        });
    }
    let mut times = Vec::with_capacity(calls);
    while let Some(caller) = calling.join_next().await {
        times.extend(caller??);
    }
    times.sort_unstable();
    Ok(Round { times, took: began.elapsed(), cpu: cpu_time()? - used })
}
