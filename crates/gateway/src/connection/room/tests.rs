//! Who gets in when there is no room left, and who makes way.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::*;

const BOUNDS: ConnectionBounds = ConnectionBounds { known: 2, unknown: 3, unknown_per_address: 2 };

fn has_to_leave(place: &ConnectionPlace) -> bool {
    let mut told = std::pin::pin!(place.told_to_leave());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    told.as_mut().poll(&mut context).is_ready()
}

fn far(last: u8) -> Option<IpAddr> {
    Some(Ipv4Addr::new(192, 0, 2, last).into())
}

fn here() -> Option<IpAddr> {
    Some(Ipv4Addr::LOCALHOST.into())
}

#[tokio::test]
async fn of_the_unknown_who_is_there_longest_and_asks_for_nothing_goes_first() {
    let (room, now) = (ConnectionRoom::new(BOUNDS), Instant::now());
    let [first, second, third] = [0; 3].map(|_| room.enter(here(), now).unwrap());
    let asking = first.asks();
    let fourth = room.enter(here(), now).unwrap();
    let told = [&first, &second, &third, &fourth].map(has_to_leave);
    assert_eq!(told, [false, true, false, false]);
    assert_eq!(room.unknown(), 3);
    // It leaves when it likes; its place is somebody else's already.
    drop(second);
    assert_eq!(room.unknown(), 3);
    drop(asking);
    let _fifth = room.enter(here(), now).unwrap();
    assert!(has_to_leave(&first));
}

#[tokio::test]
async fn whoever_connected_has_a_moment_to_be_heard_however_many_come() {
    let (room, now) = (ConnectionRoom::new(BOUNDS), Instant::now());
    assert_eq!(room.full_until(now), None);
    let places = [0; 3].map(|_| room.enter(here(), now).unwrap());
    assert_eq!(room.full_until(now), Some(now + HEARD_WITHIN));
    assert_eq!(room.full_until(now + HEARD_WITHIN), None);
    let asking = places.each_ref().map(ConnectionPlace::asks);
    let later = now + HEARD_WITHIN;
    assert_eq!(room.full_until(later), Some(later + HEARD_WITHIN), "all are being answered");
    assert!(room.enter(here(), later).is_err());
    drop(asking);
    places[1].known().unwrap();
    assert_eq!(room.full_until(now), None, "one is not unknown any more");
}

#[tokio::test]
async fn no_number_of_the_unknown_makes_a_known_one_leave() {
    let (room, now) = (ConnectionRoom::new(BOUNDS), Instant::now());
    let known = [0; 2].map(|_| room.enter(here(), now).unwrap());
    known.iter().for_each(|place| place.known().unwrap());
    let flood: Vec<_> = (0..100).map(|_| room.enter(here(), now).unwrap()).collect();
    assert!(!known.iter().any(has_to_leave));
    assert_eq!(flood.iter().filter(|place| !has_to_leave(place)).count(), BOUNDS.unknown);
}

#[tokio::test]
async fn of_the_known_the_one_that_asked_for_nothing_longest_goes_for_another_known_one() {
    let (room, now) = (ConnectionRoom::new(BOUNDS), Instant::now());
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|at| {
        let place = room.enter(far(at), now).unwrap();
        (at < 2).then(|| place.known().unwrap());
        place
    });
    drop(second.asks());
    drop(first.asks());
    assert_eq!(third.known(), Ok(()));
    assert_eq!([&first, &second].map(has_to_leave), [false, true]);
    // Where all are being answered, nobody is cut off for it.
    let _asking = [first.asks(), third.asks()];
    assert_eq!(fourth.known(), Err(NoRoomForIt));
    assert!(!fourth.is_known());
    assert!(![&first, &third, &fourth].into_iter().any(has_to_leave));
}

#[tokio::test]
async fn of_one_address_so_many_may_be_unknown_and_only_they_make_room_for_each_other() {
    let (room, now) = (ConnectionRoom::new(BOUNDS), Instant::now());
    let other = room.enter(far(1), now).unwrap();
    let [first, second] = [0; 2].map(|_| room.enter(far(2), now).unwrap());
    assert!(room.enter(far(2), now).is_err(), "both came this moment");
    let later = now + HEARD_WITHIN;
    let third = room.enter(far(2), later).unwrap();
    assert_eq!([&other, &first, &second, &third].map(has_to_leave), [false, true, false, false]);
    // Who is known does not count any more.
    second.known().unwrap();
    let _fourth = room.enter(far(2), now).unwrap();
    assert!(!has_to_leave(&third));
}

#[test]
fn an_address_is_what_one_customer_has_and_this_machine_is_none() {
    let v6 = |text: &str| IpAddr::V6(text.parse::<Ipv6Addr>().unwrap());
    assert_eq!(counted(v6("2001:db8::1")), counted(v6("2001:db8::ffff:1")));
    assert_ne!(counted(v6("2001:db8::1")), counted(v6("2001:db8:0:1::1")));
    assert_eq!(counted(v6("::ffff:192.0.2.7")), far(7));
    for own in [v6("::1"), v6("::ffff:127.0.0.1"), here().unwrap()] {
        assert_eq!(counted(own), None);
    }
}

#[test]
fn the_bounds_are_parts_of_the_whole() {
    let whole = ConnectionBounds::within(1_024);
    assert_eq!(whole, ConnectionBounds { known: 768, unknown: 256, unknown_per_address: 128 });
    let least = ConnectionBounds { known: 1, unknown: 1, unknown_per_address: 1 };
    assert_eq!([0, 1, 2].map(ConnectionBounds::within), [least; 3]);
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_nothing_for_too_long_is_seen_and_nobody_who_is_being_answered() {
    const LONGEST: Duration = Duration::from_secs(300);
    let room = ConnectionRoom::new(BOUNDS);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let (place, began) = (room.enter(here(), Instant::now()).unwrap(), Instant::now());
    let asking = async {
        // An answer that takes longer than anybody may be silent, and another right before the end.
        for (pause, takes) in [(1, 900), (299, 1), (299, 0)] {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            let answering = place.asks();
            tokio::time::sleep(Duration::from_secs(takes)).await;
            drop(answering);
        }
        Instant::now()
    };
    let (last_answer, silent) = tokio::join!(asking, async {
        place.silent_for(LONGEST).await;
        Instant::now()
    });
    assert_eq!(last_answer - began, Duration::from_secs(1 + 900 + 299 + 1 + 299));
    assert_eq!(silent - last_answer, LONGEST);
    // One that never asked for anything, from when it came.
    let (other, came) = (room.enter(here(), Instant::now()).unwrap(), Instant::now());
    other.silent_for(LONGEST).await;
    assert_eq!(came.elapsed(), LONGEST);
}
