//! What is kept of lists, and let go of.

use crate::serve::page::PageItems;

use super::*;

struct Nothing;

impl PageItems for Nothing {
    fn count(&self) -> usize {
        0
    }

    fn key(&self, _place: usize) -> &str {
        ""
    }

    fn write(&self, _place: usize, _out: &mut Vec<u8>) {}
}

fn empty(kind: ListKind) -> Arc<ListPages> {
    Arc::new(ListPages::new(kind, Arc::new(Nothing)))
}

#[test]
fn a_list_is_let_go_of_when_it_is_told_that_it_changed_and_no_other_is() {
    let (lists, audience) = (WrittenLists::default(), Audience::MODEL);
    let kinds = [ListKind::Tools, ListKind::Resources, ListKind::ResourceTemplates];
    let kept = kinds.map(|kind| {
        let pages = empty(kind);
        lists.keep(&audience, kind, 1, &pages);
        Arc::downgrade(&pages)
    });
    let are_kept = || kept.each_ref().map(|pages| pages.strong_count() > 0);
    lists.hear(&ServerNews::ListChanged(ListKind::Prompts));
    assert_eq!(are_kept(), [true, true, true]);
    lists.hear(&ServerNews::ListChanged(ListKind::Resources));
    assert_eq!(are_kept(), [true, false, false]);
    lists.hear(&ServerNews::ListChanged(ListKind::Tools));
    assert_eq!(are_kept(), [false, false, false]);
}

#[test]
fn a_list_takes_the_place_of_the_one_before_it_and_of_no_other() {
    let (lists, audience) = (WrittenLists::default(), Audience::MODEL);
    let other = Audience { resource_tools: false, ..Audience::MODEL };
    let [old, new, others] = [(); 3].map(|()| empty(ListKind::Tools));
    lists.keep(&audience, ListKind::Tools, 1, &old);
    lists.keep(&other, ListKind::Tools, 1, &others);
    lists.keep(&audience, ListKind::Tools, 2, &new);
    assert_eq!(Arc::strong_count(&old), 1);
    assert!(lists.get(&audience, ListKind::Tools, 1).is_none());
    let is_it = |of, epoch, pages| {
        lists.get(of, ListKind::Tools, epoch).is_some_and(|kept| Arc::ptr_eq(&kept, pages))
    };
    assert!(is_it(&audience, 2, &new) && is_it(&other, 1, &others));
}
