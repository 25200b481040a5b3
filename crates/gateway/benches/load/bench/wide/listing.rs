//! What is asked of a gate with many servers, and how long each answer takes.

use std::time::{Duration, Instant};

use serde::Deserialize;

use super::super::middle;
use crate::Failure;
use crate::client::{Asked, Client};
use crate::gate::Gate;
use crate::server::Era;

/// How long a changed configuration may take to be seen.
const SEEN_WITHIN: Duration = Duration::from_secs(30);

/// A list that was asked for before.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ListTimes {
    /// The first page.
    pub(crate) page: f64,
    /// All pages, one after the other.
    pub(crate) pages: f64,
}

/// What a server is called.
pub(crate) fn name(number: usize) -> String {
    format!("s{number:03}")
}

/// A gate and how many servers it has.
pub(crate) struct WideGate {
    pub(crate) gate: Gate,
    pub(crate) servers: usize,
}

/// Where a page ends.
#[derive(Deserialize)]
struct Answer {
    result: Page,
}

#[derive(Deserialize)]
struct Page {
    #[serde(rename = "nextCursor")]
    next: Option<String>,
}

impl WideGate {
    pub(crate) async fn client(&self, era: Era) -> Result<Client, Failure> {
        Client::open_known(&self.gate.place, &self.gate.place, era).await
    }

    /// Every server is there.
    pub(crate) async fn warm(&self) -> Result<(), Failure> {
        let mut client = self.client(Era::Modern).await?;
        for number in 0..self.servers {
            let tool = format!("{}__echo", name(number));
            client.call(Asked { tool: &tool, text: "here", report: false }).await?;
        }
        Ok(())
    }

    /// So many lists, and a tenth of that of all pages.
    pub(crate) async fn times(&self, era: Era, times: usize) -> Result<ListTimes, Failure> {
        let mut client = self.client(era).await?;
        let (mut page, mut pages) = (Vec::new(), Vec::new());
        listed(&mut client).await?;
        for _ in 0..times {
            page.push(listed(&mut client).await?);
        }
        for _ in 0..times.div_ceil(10) {
            pages.push(listed_whole(&mut client).await?);
        }
        let [page, pages] = [page, pages].map(|all| middle(all.into_iter()));
        Ok(ListTimes { page, pages })
    }

    /// So many calls, one after the other.
    pub(crate) async fn calls(
        &self,
        client: &mut Client,
        times: usize,
    ) -> Result<Vec<f64>, Failure> {
        let tool = format!("{}__echo", name(self.servers / 2));
        let mut calls = Vec::with_capacity(times);
        for _ in 0..times {
            let began = Instant::now();
            client.call(Asked { tool: &tool, text: "here", report: false }).await?;
            calls.push(micros(began));
        }
        Ok(calls)
    }

    pub(crate) async fn first(&self) -> Result<f64, Failure> {
        listed(&mut self.client(Era::Modern).await?).await
    }

    pub(crate) async fn first_of_role(&self, role: &str) -> Result<f64, Failure> {
        let place = self.gate.place.below(role);
        listed(&mut Client::open_known(&self.gate.place, &place, Era::Modern).await?).await
    }

    /// Waits until who sees the last server alone sees that it shows all of its tools, or one fewer;
    /// whoever sees everything has not asked since.
    pub(crate) async fn first_after_change(&self, is_whole: bool) -> Result<f64, Failure> {
        let place = self.gate.place.below(&format!("s/{}", name(self.servers - 1)));
        let mut watcher = Client::open(&place, Era::Modern).await?;
        let began = Instant::now();
        loop {
            watcher.list().await?.expect(200)?;
            if String::from_utf8_lossy(watcher.body()).contains("__note\"") == is_whole {
                break;
            }
            if began.elapsed() > SEEN_WITHIN {
                return Err("the changed configuration is not seen".into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        listed(&mut self.client(Era::Modern).await?).await
    }
}

async fn listed(client: &mut Client) -> Result<f64, Failure> {
    let began = Instant::now();
    client.list().await?.expect(200)?;
    let took = micros(began);
    let body = String::from_utf8_lossy(client.body());
    match body.contains("\"s000__echo\"") {
        true => Ok(took),
        false => Err(format!("not listed: {body:.300}").into()),
    }
}

async fn listed_whole(client: &mut Client) -> Result<f64, Failure> {
    let mut took = 0.0;
    let mut cursor: Option<String> = None;
    loop {
        let began = Instant::now();
        match &cursor {
            None => client.list().await?.expect(200)?,
            Some(cursor) => client.list_from(cursor).await?.expect(200)?,
        };
        took += micros(began);
        let Answer { result } = serde_json::from_slice(client.body())?;
        cursor = match result.next {
            Some(next) => Some(next),
            None => return Ok(took),
        };
    }
}

fn micros(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e6
}
