//! Which settings count, however they are written.

use super::*;

#[test]
fn the_shape_is_read_and_nothing_else_is() {
    let plain = GitSettings::read(b"[core]\n\tbare = false\n\tfilemode = true\n");
    assert!(plain.unusable().is_none() && plain.knows_modes);
    let read = |text: &str| GitSettings::read(text.as_bytes());
    assert!(!read("[CORE] FileMode=no\n").knows_modes);
    assert_eq!(read("[core]\nbare\n").unusable(), Some(BARE));
    assert_eq!(read("[core]\nbare = \"true\" ; so\n").unusable(), Some(BARE));
    assert_eq!(read("[core]\n worktree = ../x\n").unusable(), Some(WORKTREE));
    assert_eq!(read("[extensions]\nobjectFormat = sha256\n").unusable(), Some(OBJECT_FORMAT));
    assert_eq!(read("[extensions]\nrefStorage = reftable\n").unusable(), Some(REF_STORAGE));
    assert!(read("[include]\npath = /etc/x\n[core \"x\"]\nbare = true\n").unusable().is_none());
}
