//! Who is stopped next, with a clock that stands still.

use std::time::Duration;

use super::*;

const MB: u64 = 1 << 20;

fn ledger(servers: usize, memory_bytes: u64) -> PoolLedger {
    PoolLedger::new(PoolBounds { servers, memory_bytes })
}

/// Starts one, which has to be possible.
fn start(ledger: &mut PoolLedger, stays: bool) -> PoolSlotId {
    ledger.wants();
    let StartStep::Enter(place) = ledger.step(stays) else { panic!("there is room") };
    ledger.wants_no_more();
    place
}

fn unused(ledger: &mut PoolLedger, place: PoolSlotId, since: Instant, seconds: u64) {
    ledger.observe(place, ServerUsage::UnusedSince(since + Duration::from_secs(seconds)));
}

#[test]
fn the_least_recently_used_goes_when_one_more_wants_in() {
    let (mut ledger, now) = (ledger(3, MB), Instant::now());
    let [one, two, three] = [(); 3].map(|()| start(&mut ledger, false));
    unused(&mut ledger, one, now, 2);
    unused(&mut ledger, two, now, 1);
    unused(&mut ledger, three, now, 3);
    ledger.wants();
    assert_eq!(ledger.step(false), StartStep::Stop(two));
    assert_eq!(
        ledger.step(false),
        StartStep::Wait(PoolLimit::Servers(3)),
        "one goes for one who comes"
    );
    ledger.left(two);
    assert!(matches!(ledger.step(false), StartStep::Enter(_)));
}

#[test]
fn one_goes_for_each_who_wants_in() {
    let (mut ledger, now) = (ledger(2, MB), Instant::now());
    let [one, two] = [(); 2].map(|()| start(&mut ledger, false));
    unused(&mut ledger, one, now, 1);
    unused(&mut ledger, two, now, 2);
    ledger.wants();
    ledger.wants();
    assert_eq!(ledger.step(false), StartStep::Stop(one));
    assert_eq!(ledger.step(false), StartStep::Stop(two));
    ledger.wants_no_more();
    assert_eq!(ledger.step(false), StartStep::Wait(PoolLimit::Servers(2)));
}

#[test]
fn what_is_in_use_or_is_to_stay_never_goes() {
    let (mut ledger, now) = (ledger(3, MB), Instant::now());
    let (used, stays) = (start(&mut ledger, false), start(&mut ledger, true));
    let starting = start(&mut ledger, false);
    unused(&mut ledger, stays, now, 0);
    ledger.wants();
    assert_eq!(ledger.step(true), StartStep::Wait(PoolLimit::Servers(3)), "{used:?} {starting:?}");
    unused(&mut ledger, used, now, 5);
    assert_eq!(ledger.step(true), StartStep::Stop(used));
}

#[test]
fn one_that_was_used_after_all_stays_and_the_next_is_named() {
    let (mut ledger, now) = (ledger(2, MB), Instant::now());
    let [one, two] = [(); 2].map(|()| start(&mut ledger, false));
    unused(&mut ledger, one, now, 1);
    unused(&mut ledger, two, now, 2);
    ledger.wants();
    assert_eq!(ledger.step(false), StartStep::Stop(one));
    ledger.stayed(one);
    assert_eq!(ledger.step(false), StartStep::Stop(two));
}

#[test]
fn memory_is_made_by_as_many_as_it_takes_and_only_by_those_that_have_some() {
    let (mut ledger, now) = (ledger(10, 100 * MB), Instant::now());
    let places = [(); 4].map(|()| start(&mut ledger, false));
    for (place, (seconds, memory)) in
        places.into_iter().zip([(0, None), (1, Some(40)), (2, Some(40)), (3, Some(70))])
    {
        unused(&mut ledger, place, now, seconds);
        ledger.measured(place, memory.map(|memory| memory * MB));
    }
    ledger.wants();
    assert_eq!(ledger.step(false), StartStep::Stop(places[1]));
    assert_eq!(ledger.step(false), StartStep::Stop(places[2]));
    assert_eq!(
        ledger.step(false),
        StartStep::Wait(PoolLimit::Memory(100 * MB)),
        "70 are left, once gone"
    );
    ledger.left(places[1]);
    ledger.left(places[2]);
    assert!(matches!(ledger.step(false), StartStep::Enter(_)));
}

#[test]
fn what_is_too_much_without_anybody_coming_goes_too() {
    let (mut ledger, now) = (ledger(3, 50 * MB), Instant::now());
    let [one, two, three] = [(); 3].map(|()| start(&mut ledger, false));
    assert_eq!(ledger.excess(), None, "as many as may run");
    for place in [one, two, three] {
        ledger.measured(place, Some(30 * MB));
    }
    assert_eq!(ledger.excess(), None, "all are in use");
    unused(&mut ledger, two, now, 0);
    unused(&mut ledger, three, now, 1);
    assert_eq!(ledger.excess(), Some(two));
    assert_eq!(ledger.excess(), Some(three));
    assert_eq!(ledger.excess(), None);
    ledger.left(two);
    ledger.left(three);
    assert_eq!(ledger.memory(one), Some(30 * MB));
    assert_eq!(ledger.memory(two), None);
    ledger.bound(PoolBounds { servers: 0, memory_bytes: MB });
    unused(&mut ledger, one, now, 0);
    assert_eq!(ledger.excess(), Some(one), "a bound may shrink");
}
