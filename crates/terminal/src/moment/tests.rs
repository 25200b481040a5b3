//! Dates there and back, and what is no time.

use super::*;

#[test]
fn every_day_of_a_long_time_is_the_same_there_and_back() {
    for days in (0..2_932_896).step_by(13) {
        let (text, millis) = (written(days * DAY), days * DAY);
        assert_eq!(SinceMoment::parse(&text), Ok(SinceMoment::At(millis)), "{text}");
    }
}

#[test]
fn a_time_may_lie_at_the_end_of_the_year_9999_and_beyond() {
    for (text, millis) in [
        ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ("9999-12-31T23:59:59-23:59", 253_402_387_139_000),
    ] {
        assert_eq!(SinceMoment::parse(text), Ok(SinceMoment::At(millis)), "{text}");
    }
    assert_eq!(written(253_402_300_799_999), "9999-12-31T23:59:59Z");
    assert_eq!(written(253_402_387_139_000), "10000-01-01T23:58:59Z");
    assert_eq!(written(u64::MAX), "584556019-04-03T14:25:51Z");
}

#[test]
fn times_are_written_and_read_as_rfc_3339_has_them() {
    for (text, millis) in [
        ("1970-01-01T00:00:00Z", 0),
        ("2000-02-29T23:59:59Z", 951_868_799_000),
        ("2026-11-15T07:11:35Z", 1_794_726_695_000),
    ] {
        assert_eq!(written(millis), text);
        assert_eq!(SinceMoment::parse(text), Ok(SinceMoment::At(millis)), "{text}");
    }
    for same in [
        "2026-11-15T09:11:35.25+02:00",
        "2026-11-15t01:41:35.2509-05:30",
        "2026-11-15 07:11:35.250z",
        "2026-11-15T07:11:35.25099999999999999999-00:00",
    ] {
        assert_eq!(SinceMoment::parse(same), Ok(SinceMoment::At(1_794_726_695_250)), "{same}");
    }
}

#[test]
fn how_long_ago_has_a_unit() {
    let parsed = |text| SinceMoment::parse(text).ok();
    assert_eq!(parsed("45s"), Some(SinceMoment::Ago(45_000)));
    assert_eq!(parsed("30m"), Some(SinceMoment::Ago(1_800_000)));
    assert_eq!(parsed("2h"), Some(SinceMoment::Ago(7_200_000)));
    assert_eq!(parsed("3d"), Some(SinceMoment::Ago(259_200_000)));
    assert_eq!(parsed("1w"), Some(SinceMoment::Ago(604_800_000)));
}

#[test]
fn what_is_no_time_is_refused() {
    for text in [
        "",
        "h",
        "2",
        "-2h",
        "+2h",
        "2 h",
        "2y",
        "ü",
        "99999999999999999999d",
        "now",
        "2026-11-15",
        "2026-11-15T07:11:35",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-15T24:00:00Z",
        "2026-11-15T07:60:00Z",
        "2026-11-15T07:11:35.Z",
        "2026-11-15T07:11:35+2:00",
        "2026-11-15T07:11:35Zx",
        "1969-12-31T23:59:59Z",
        "1969-12-31T23:59:59.9999Z",
        "0000-01-01T00:00:00Z",
        "2026-11-15T07:11:35ü",
    ] {
        assert!(SinceMoment::parse(text).is_err(), "{text}");
    }
}

#[test]
fn the_past_is_told_in_its_largest_unit() {
    let now = 10 * DAY;
    let before = [0, 59 * SECOND, 60 * SECOND, 3_599 * SECOND, 3_600 * SECOND, DAY - 1, DAY, now];
    let told = before.map(|before| past(now - before, now));
    let expected = ["0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "10 d"];
    assert_eq!(told, expected.map(|words| format!("{words} ago")));
    assert_eq!(past(now + 5, now), "0 s ago");
}
