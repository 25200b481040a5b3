//! How much of a server is kept, whatever it sends.

use super::*;

fn seen(tool: &str, bytes: usize) -> SeenTool {
    SeenTool { tool: tool.to_owned(), definition: "x".repeat(bytes) }
}

fn bytes(pins: &[Pin]) -> usize {
    pins.iter().map(Pin::bytes).sum()
}

#[test]
fn a_server_with_other_tools_at_every_turn_is_kept_within_bounds() {
    let mut pins = Vec::new();
    for turn in 0..10 {
        let list = [seen(&format!("a{turn}"), 9 << 20), seen(&format!("b{turn}"), 9 << 20)];
        pins = ObservedTools::of(pins, &list, turn).pins.into_values().collect();
        assert!(bytes(&pins) <= MOST_BYTES);
    }
    let kept: Vec<_> = pins.iter().map(|pin| &*pin.tool).collect();
    assert_eq!(kept, ["a0", "a1", "a2", "a3", "b0", "b1", "b2"], "those that came first");
}

#[test]
fn a_difference_that_is_too_large_to_keep_is_still_one() {
    let before: Vec<_> =
        ObservedTools::of(Vec::new(), &[seen("a", 40 << 20)], 1).pins.into_values().collect();
    let large = ObservedTools::of(before, &[seen("a", 30 << 20)], 2);
    assert_eq!((&large.drifted[..], &large.pins["a"].live), (&["a".to_owned()][..], &None));
    assert!(large.changed.is_empty(), "there is nothing to write");
    let small = ObservedTools::of(large.pins.into_values().collect(), &[seen("a", 1)], 3);
    assert_eq!(small.pins["a"].live.as_deref(), Some("x"));
    let large = ObservedTools::of(small.pins.into_values().collect(), &[seen("a", 30 << 20)], 4);
    assert_eq!((&large.pins["a"].live, large.pins["a"].seen_at), (&None, None));
    assert_eq!(large.changed.len(), 1, "what was kept of an older difference goes");
}

#[test]
fn a_tool_that_is_there_twice_is_pinned_once() {
    let observed = ObservedTools::of(Vec::new(), &[seen("a", 1), seen("a", 2)], 1);
    assert_eq!(observed.pins.len(), 1);
    assert_eq!((observed.new.len(), observed.drifted.len()), (1, 1));
}
