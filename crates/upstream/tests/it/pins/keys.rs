//! Whose pins they are: a person's own servers have them once, those of projects in each.

use std::sync::Arc;

use toolgate_store::{MemoryStore, ProjectRoot, Store};
use toolgate_types::LayerGrade;
use toolgate_types::config::Isolation;

use super::{Guest, House, folder, in_turn, listed, offering, tool};

/// Shows: E-6.
#[tokio::test]
async fn a_persons_own_server_is_held_to_its_word_in_every_workspace() {
    let (old, new) = ([tool("a", "1")], [tool("a", "2")]);
    let (house, elsewhere) = (House::new(&offering(&old)), folder());
    let first = house.guest();
    first.lists().await;
    house.play(&offering(&new));
    let second = Guest::new(
        elsewhere.path(),
        house.server(),
        toolgate_upstream::Pool::default(),
        house.store(),
        |_, _| {},
    );
    assert_eq!(listed(&*second.lists().await), old);
    assert_eq!(second.live("a"), Some(new[0].clone()));
    first.close().await;
    second.close().await;
}

/// The same entry may say in its tools where it runs; one that stays what it is is told once.
#[tokio::test]
async fn workspaces_that_see_different_tools_do_not_tell_it_over_and_over() {
    let (one, other) = ([tool("a", "in one")], [tool("a", "in another")]);
    let (house, elsewhere) = (House::new(&offering(&one)), House::new(&offering(&other)));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let first = house.guest_with(Arc::clone(&store), |_, _| {});
    let second = elsewhere.guest_with(store, |_, _| {});
    for _ in 0..3 {
        assert_eq!(listed(&*first.lists().await), one);
        assert_eq!(first.live("a"), None);
        assert_eq!(listed(&*second.lists().await), one);
        assert_eq!(second.live("a"), Some(other[0].clone()));
    }
    assert!(first.events.all().is_empty());
    assert_eq!(second.events.all(), ["drifted a: wording"]);
    first.close().await;
    second.close().await;
}

#[tokio::test]
async fn what_a_project_brings_is_pinned_in_that_project() {
    let (mine, theirs) = ([tool("a", "mine")], [tool("a", "theirs")]);
    let house = House::new(&offering(&mine));
    let project = folder();
    let root = ProjectRoot::of(project.path()).unwrap();
    let own = house.guest();
    own.lists().await;
    house.play(&offering(&theirs));
    let here = ProjectRoot::of(house.workspace.path()).unwrap();
    for (project, expected) in [(None, here), (Some(root.clone()), root)] {
        let guest = house.guest_with(house.store(), |world, entry| {
            entry.origin.grade = LayerGrade::Project;
            world.replace_project(project);
        });
        assert_eq!(guest.key().root, Some(expected));
        assert_eq!(listed(&*guest.lists().await), theirs);
        assert_eq!(guest.live("a"), None);
        guest.close().await;
    }
    assert_eq!(own.store.all_pins().await.unwrap().len(), 3);
    own.close().await;
}

/// One process would have one list, and each accepts its own.
#[tokio::test]
async fn a_project_shares_no_server_with_another_nor_with_the_person() {
    let lists = [[tool("a", "1")], [tool("a", "2")]];
    let house = House::new(&in_turn(&[&lists[0], &lists[1]]));
    let store = house.store();
    let first = house.guest_with(Arc::clone(&store), |_, entry| {
        entry.value.isolation = Isolation::Machine;
    });
    let pool = first.pool.clone();
    let guests = [LayerGrade::Person, LayerGrade::Project].map(|grade| {
        house.guest_in(pool.clone(), Arc::clone(&store), |_, entry| {
            entry.value.isolation = Isolation::Machine;
            entry.origin.grade = grade;
        })
    });
    assert!(guests[0].upstream.is_same_as(&first.upstream));
    assert!(!guests[1].upstream.is_same_as(&first.upstream));
    assert_eq!(listed(&*guests[0].lists().await), lists[0]);
    assert_eq!(listed(&*guests[1].lists().await), lists[0]);
    assert_eq!(pool.servers(), 2);
    for guest in guests.into_iter().chain([first]) {
        guest.close().await;
    }
}
