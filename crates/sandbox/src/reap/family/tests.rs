//! The two ways of finding children agree.

use std::process::{Command, Stdio};

use super::*;

#[test]
fn both_ways_find_a_child() {
    let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let us = getpid().as_raw();
    assert!(children_of(us).contains(&pid));
    assert!(children_by_parent(us).contains(&pid));
    assert_eq!(parent_of(pid), Some(us));
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_list_of_children_is_numbers_and_nothing_else() {
    assert_eq!(numbers("12 345 \n"), [12, 345]);
    assert_eq!(numbers(""), [0; 0]);
}
