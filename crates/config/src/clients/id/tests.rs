//! Every name gets an id, good names keep theirs.

use super::*;

#[test]
fn names_become_ids() {
    let long = "x".repeat(70);
    let names = ["github", "io.github.upstash/context7", "My  Server!", "local", "", "日本", &long];
    let ids = assign(&names);
    assert_eq!(
        ids,
        [
            "github",
            "io-github-upstash-context7",
            "My-Server",
            "local-server",
            "server",
            "server-2",
            &long[..64],
        ]
    );
    assert!(ids.iter().all(|id| ServerId::parse(id).is_ok()));
}

#[test]
fn a_name_that_is_an_id_wins_over_one_that_would_become_it() {
    assert_eq!(assign(&["a b", "a-b", "A-B"]), ["a-b-2", "a-b", "A-B-3"]);
    let long = "y".repeat(80);
    let ids = assign(&[&long, &long]);
    assert_eq!(ids[1].len(), 64);
    assert_ne!(ids[0], ids[1]);
}
