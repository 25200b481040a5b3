//! Gates that come and go while they are looked at.

use std::cell::Cell;

use toolgate_control::procfs::ProcessIdentity;

use super::super::gate_verb::{is_gate, read_gates_with};
use super::*;
use crate::lineage::chain_of;

/// Longer than any test: what is decided sooner does not wait for it.
const LONG: Duration = Duration::from_secs(600);

/// A process that reads no terminal.
fn without_a_terminal() -> (std::process::Child, ProcessChain) {
    let input = std::process::Stdio::null();
    let child = std::process::Command::new("sleep").arg("600").stdin(input).spawn().unwrap();
    let chain = chain_of(child.id());
    (child, chain)
}

fn hidden() -> AgentClients {
    AgentClients::only(None)
}

fn stranger() -> AgentClients {
    AgentClients::only(Some(ProcessIdentity { pid: 1, start: u64::MAX }))
}

#[test]
fn a_client_that_hides_is_one_that_goes_on_hiding() {
    let (mut child, chain) = without_a_terminal();
    let own = AgentClients::only(procfs::process(child.id()));
    let looks = Cell::new(0);
    let turns = |turns: Vec<Vec<(u32, AgentClients)>>| {
        looks.set(0);
        let looks = &looks;
        move || {
            let turn = looks.replace(looks.get() + 1).min(turns.len() - 1);
            turns[turn].iter().cloned().collect()
        }
    };
    // Nobody hides, so nobody is waited for.
    assert!(!lasting(|| chain.clone(), LONG, turns(vec![vec![]])));
    assert!(!lasting(|| chain.clone(), LONG, turns(vec![vec![(7, stranger())]])));
    assert_eq!(looks.get(), 1);
    // One that was about to end, though another is by then.
    let ends = vec![vec![(7, hidden())], vec![(8, hidden())]];
    assert!(!lasting(|| chain.clone(), LONG, turns(ends)));
    assert_eq!(looks.get(), 2);
    // Its client is known on a second look.
    assert!(!lasting(
        || chain.clone(),
        LONG,
        turns(vec![vec![(7, hidden())], vec![(7, stranger())]])
    ));
    assert!(lasting(
        || chain.clone(),
        LONG,
        turns(vec![vec![(7, hidden())], vec![(7, own.clone())]])
    ));
    assert!(lasting(
        || chain.clone(),
        LONG,
        turns(vec![vec![(7, hidden())], vec![(8, own.clone())]])
    ));
    // Whoever opened a terminal that closes looks like a client for a moment.
    assert!(!lasting(
        || chain.clone(),
        LONG,
        turns(vec![vec![(7, own.clone())], vec![(7, stranger())]])
    ));
    assert!(!lasting(|| chain.clone(), LONG, turns(vec![vec![(7, own.clone())], vec![]])));
    assert!(lasting(|| chain.clone(), LONG, turns(vec![vec![(7, own.clone())]])));
    // A process that was about to become something else had the far side of its terminal.
    let before = Cell::new(Some(chain.clone()));
    let then_another = || before.take().unwrap_or_else(|| chain_of(1));
    assert!(!lasting(then_another, LONG, turns(vec![vec![(7, own)]])));
    // One that stays.
    assert!(lasting(|| chain.clone(), EVERY, turns(vec![vec![(7, hidden()), (8, stranger())]])));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_gate_is_known_by_its_arguments_and_by_nothing_else_until_they_can_be_read() {
    // Until the program says how its arguments are read, each of its processes counts as one.
    assert!(is_gate(std::process::id(), &["x".to_owned(), "list".to_owned()]));
    read_gates_with(|arguments| {
        let is_daemon = arguments.iter().any(|argument| argument == "daemon");
        is_daemon.then_some(GateVerb::Daemon)
    });
    assert!(!is_gate(std::process::id(), &["x".to_owned(), "list".to_owned()]));
    assert!(is_gate(std::process::id(), &["x".to_owned(), "daemon".to_owned()]));
}
