//! The key that lets everything pass is found wherever it does not belong.

use xtask::tidy::no_policy::check_text;

const USE: &str = "fn a() { AllowEverything::insecure_no_policy(); }";

#[test]
fn only_the_flag_and_tests_may_do_without_a_policy() {
    assert!(!check_text("crates/host/src/host.rs", USE, false).is_empty());
    assert!(!check_text("crates/cli/src/commands/call.rs", USE, false).is_empty());
    assert!(check_text("crates/cli/src/insecure.rs", USE, false).is_empty());
    assert!(check_text("crates/host/tests/it/gate.rs", USE, false).is_empty());
    assert!(check_text("crates/host/examples/agent.rs", USE, false).is_empty());
    assert!(check_text("crates/host/benches/calls.rs", USE, false).is_empty());
}

#[test]
fn the_flag_itself_may_have_its_name_until_then() {
    let field = "struct Using { insecure_no_policy: bool }";
    assert!(check_text("crates/cli/src/args.rs", field, false).is_empty());
    assert!(!check_text("crates/cli/src/args.rs", field, true).is_empty());
}

#[test]
fn the_flag_goes_when_the_policy_comes() {
    assert!(!check_text("crates/cli/src/insecure.rs", USE, true).is_empty());
    assert!(check_text("crates/host/tests/it/gate.rs", USE, true).is_empty());
}
