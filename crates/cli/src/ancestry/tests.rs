//! What `/proc` may hold, odd things included, and our own chain as it really is.

use super::*;

#[test]
fn the_start_is_found_whatever_the_program_calls_itself() {
    let after = "S 41 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3\n";
    for name in ["sh", "a b", "a) S 1 2 3 (b", ")))", "", "ü\n"] {
        let stat = format!("7 ({name}) {after}");
        assert_eq!(read_stat(stat.as_bytes()), Some((41, 98765)), "{name}");
    }
    let bytes = [b"7 (\xFF\xFE) ", after.as_bytes()].concat();
    assert_eq!(read_stat(&bytes), Some((41, 98765)));
}

#[test]
fn what_is_no_stat_is_nobody() {
    for odd in ["", ")", "7 (sh", "7 (sh) S", "7 (sh) S x", "7 (sh) S 41 7 7", "7 (sh) S -1"] {
        assert_eq!(read_stat(odd.as_bytes()), None, "{odd}");
    }
    let negative = "7 (sh) S 41 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 -3 1";
    assert_eq!(read_stat(negative.as_bytes()), None);
    assert_eq!(read_stat(b"7 (sh) \xFF\xFF"), None);
}

#[test]
fn variables_are_read_as_programs_read_them() {
    let read = read_environ(b"A=1\0B==x=\0A=2\0=odd\0no sign\0C=\0D=\xFF\0E=a\nb\0\0");
    let expected = [("A", "1"), ("B", "=x="), ("C", ""), ("E", "a\nb")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(read, Variables::from(expected));
    assert_eq!(read_environ(b""), Variables::new());
}

#[test]
fn our_parent_is_the_second_in_our_chain() {
    let parent = Parent::of_this_process().unwrap();
    let chain = chain_with(std::process::id(), look);
    assert_eq!(chain[0].pid, std::process::id());
    assert_eq!(chain[1], parent.process);
    assert_eq!(parent.process.pid, parent_id());
    assert_eq!(chain.last().unwrap().pid, 1);
}

#[test]
fn a_chain_that_leads_back_to_itself_ends() {
    let circle = |pid: u32| Some((Process { pid, start: 1 }, 3 - pid));
    assert_eq!(chain_with(1, circle).len(), LONGEST_CHAIN);
    assert_eq!(chain_with(7, |_| None), []);
}
