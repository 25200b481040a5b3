//! What rounds of calls come to.

use std::fmt;
use std::fs;
use std::time::Duration;

use crate::Failure;

/// One round.
#[derive(Debug)]
pub(crate) struct Round {
    /// Of each call, the shortest first.
    pub(crate) times: Vec<Duration>,
    pub(crate) took: Duration,
    /// Of all threads of the program, the server's included.
    pub(crate) cpu: Duration,
}

impl Round {
    fn median(&self) -> Duration {
        self.times[self.times.len() / 2]
    }

    fn p99(&self) -> Duration {
        self.times[self.times.len() * 99 / 100]
    }

    fn per_call(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.times.len() as f64
    }
}

/// All rounds of one kind. Every figure is the median of the rounds' own.
#[derive(Debug, Default)]
pub(crate) struct Figures(Vec<Round>);

impl Figures {
    pub(crate) fn add(&mut self, round: Round) {
        self.0.push(round);
    }

    /// The rounds are compared one by one with those of the same turn.
    pub(crate) fn ratio_to(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(&other.0);
        middle(pairs.map(|(one, other)| one.median().as_secs_f64() / other.median().as_secs_f64()))
    }

    /// Calls in a second, and the processor's time for one.
    pub(crate) fn load(&self) -> String {
        let throughput = middle(self.0.iter().map(|round| 1e6 / round.per_call(round.took)));
        let cpu = middle(self.0.iter().map(|round| round.per_call(round.cpu)));
        format!("{throughput:.0} | {cpu:.0} µs")
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |figure: fn(&Round) -> Duration| {
            middle(self.0.iter().map(|round| figure(round).as_secs_f64() * 1e6))
        };
        write!(f, "{:.0} µs | {:.0} µs", of(Round::median), of(Round::p99))
    }
}

fn middle(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// What all threads of this program have used so far. Linux only: it reads `/proc`.
pub(crate) fn cpu_time() -> Result<Duration, Failure> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        let line = fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += line.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}
