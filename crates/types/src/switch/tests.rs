//! Which switches count in a folder, and which of several.

use super::*;

fn off(scope: SwitchScope, id: &str) -> PersonSwitch {
    PersonSwitch { scope, subject: SwitchSubject::Off(ServerId::parse(id).unwrap()) }
}

fn role(scope: SwitchScope, id: &str) -> PersonSwitch {
    PersonSwitch { scope, subject: SwitchSubject::Role(RoleId::parse(id).unwrap()) }
}

fn folder(path: &str) -> SwitchScope {
    SwitchScope::Folder(PathBuf::from(path))
}

#[test]
fn the_role_of_the_nearest_folder_counts_and_servers_that_are_off_add_up() {
    let mark = WindowMark { boot: "b".to_owned(), pid: 1, start: 2 };
    let switches = [
        role(folder("/a/b"), "near"),
        role(SwitchScope::Everywhere, "wide"),
        role(folder("/a"), "outer"),
        off(folder("/a/b"), "one"),
        off(SwitchScope::Everywhere, "one"),
        off(folder("/a"), "two"),
        off(SwitchScope::Window(mark), "three"),
    ];
    let at = |path: &str| {
        let switched = SwitchedAway::of(&switches, Path::new(path));
        let off: Vec<_> = switched.off.keys().map(|id| id.as_str().to_owned()).collect();
        (switched.role.map(|(role, _)| role.as_str().to_owned()), off.join(" "))
    };
    let (near, outer, wide) = ("near".to_owned(), "outer".to_owned(), "wide".to_owned());
    assert_eq!(at("/a/b/c"), (Some(near), "one two".to_owned()));
    assert_eq!(at("/a/bc"), (Some(outer), "one two".to_owned()), "a name that begins alike");
    assert_eq!(at("/x"), (Some(wide), "one".to_owned()));
    let switched = SwitchedAway::of(&switches, Path::new("/a/b"));
    let one = ServerId::parse("one").unwrap();
    assert_eq!(switched.off[&one], SwitchScope::Everywhere, "the widest says so");
}

#[test]
fn a_window_reads_as_it_is_written() {
    let mark = WindowMark { boot: "0af1-2".to_owned(), pid: 7, start: 8_000_000_000 };
    assert_eq!(WindowMark::parse(&mark.to_string()), Some(mark));
    for odd in ["", "b 1", "b 1 2 3", " 1 2", "b x 2", "b -1 2"] {
        assert_eq!(WindowMark::parse(odd), None, "{odd}");
    }
}
