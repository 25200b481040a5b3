//! A minute, an hour and a crash, with a clock of our own.

use super::*;

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Somebody who wants the server all the time; gives the seconds at which it was tried.
fn tries(mut fail: impl FnMut(&mut InstanceLifecycle, Instant), minutes: u64) -> Vec<u64> {
    let (mut lifecycle, start) = (InstanceLifecycle::default(), Instant::now());
    let mut tried = Vec::new();
    for second in 0..minutes * 60 {
        let now = start + seconds(second);
        if lifecycle.retry_in(now).is_none() {
            tried.push(second);
            lifecycle.connecting();
            fail(&mut lifecycle, now);
        }
    }
    tried
}

/// The most tries in any sixty seconds, the first counted twice: it may start two processes.
fn most_starts_in_a_minute(tried: &[u64]) -> usize {
    let starts: Vec<u64> = tried.first().into_iter().chain(tried).copied().collect();
    let within = |from: u64| starts.iter().filter(|at| (from..from + 60).contains(*at)).count();
    starts.iter().map(|from| within(*from)).max().unwrap_or(0)
}

/// Shows: S0-39, E-9.
#[tokio::test]
async fn a_server_that_never_starts_is_started_at_most_six_times_a_minute_and_never_given_up() {
    let tried = tries(|lifecycle, now| lifecycle.failed(now, "no".into()), 10);
    assert_eq!(tried[..6], [0, 2, 6, 14, 30, 62]);
    assert!(most_starts_in_a_minute(&tried) <= 6, "{tried:?}");
    let last = tried[tried.len() - 1];
    assert!(last >= 9 * 60, "it is still tried after ten minutes: {tried:?}");
}

#[tokio::test]
async fn a_server_that_crashes_right_after_it_was_reached_waits_just_as_long() {
    let crash = |lifecycle: &mut InstanceLifecycle, now| {
        lifecycle.connected(now, SystemTime::now());
        lifecycle.lost(now + seconds(0), "crashed".into(), GOOD_ANSWERS - 1);
    };
    let tried = tries(crash, 10);
    assert!(most_starts_in_a_minute(&tried) <= 6, "{tried:?}");
}

#[tokio::test]
async fn after_a_good_connection_it_may_be_tried_at_once_and_earlier_failures_are_forgotten() {
    let (mut lifecycle, now) = (InstanceLifecycle::default(), Instant::now());
    for _ in 0..5 {
        lifecycle.failed(now, "no".into());
    }
    lifecycle.connected(now, SystemTime::now());
    assert_eq!(lifecycle.failures(), 5, "reached is not yet good");
    lifecycle.lost(now + GOOD, "the network went away".into(), 0);
    assert_eq!(lifecycle.state(), ServerState::Error);
    assert_eq!(lifecycle.failures(), 0);
    assert_eq!(lifecycle.retry_in(now + GOOD), None);
    assert_eq!(lifecycle.last_error(), Some("the network went away"));
}

#[tokio::test]
async fn stopping_is_no_failure_and_no_pardon() {
    let (mut lifecycle, now) = (InstanceLifecycle::default(), Instant::now());
    lifecycle.failed(now, "no".into());
    lifecycle.connected(now, SystemTime::now());
    lifecycle.stopped(now + seconds(1));
    assert_eq!((lifecycle.state(), lifecycle.failures()), (ServerState::Idle, 1));
    assert_eq!(lifecycle.last_error(), Some("no"), "what went wrong can still be read");
}

#[tokio::test]
async fn a_person_may_have_it_tried_at_once() {
    let (mut lifecycle, now) = (InstanceLifecycle::default(), Instant::now());
    lifecycle.login_needed(now, "it wants a login".into());
    assert_eq!(lifecycle.state(), ServerState::AuthRequired);
    assert_eq!(lifecycle.retry_in(now), Some(FIRST_WAIT));
    lifecycle.forgive();
    assert_eq!(lifecycle.retry_in(now), None);
}

#[tokio::test]
async fn one_that_answered_much_is_tried_at_once_and_only_once_in_a_minute() {
    let (mut lifecycle, now) = (InstanceLifecycle::default(), Instant::now());
    let mut crash = |after: u64, answered| {
        lifecycle.connected(now + seconds(after), SystemTime::now());
        lifecycle.lost(now + seconds(after), "killed".into(), answered);
        lifecycle.retry_in(now + seconds(after))
    };
    assert_eq!(crash(0, GOOD_ANSWERS), None);
    assert_eq!(crash(45, 10_000), Some(FIRST_WAIT), "the second time within a minute");
    assert_eq!(crash(47, 10_000), Some(FIRST_WAIT), "it served well: the wait does not grow");
    assert_eq!(crash(60, GOOD_ANSWERS), None);
    assert_eq!(crash(61, GOOD_ANSWERS - 1), Some(FIRST_WAIT));
    assert_eq!(crash(63, 0), Some(FIRST_WAIT * 2));
}
