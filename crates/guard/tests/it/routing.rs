//! From addresses to bundles.

use indexmap::IndexMap;
use toolgate_guard::{BundleRouting, StepAddress};
use toolgate_types::config::{Config, NameFilter, Role, Workflow};
use toolgate_types::{
    Acceptances, AcceptedEntry, BundleId, EntryKind, LayerGrade, RoleId, StepId, Trust, WorkflowId,
};

use crate::world::{entry, fingerprint};

fn bundles(names: &[&str]) -> Vec<BundleId> {
    names.iter().map(|name| BundleId::parse(name).unwrap()).collect()
}

fn role(name: &str) -> RoleId {
    RoleId::parse(name).unwrap()
}

fn step(workflow: &str, of: &str, step: &str) -> StepAddress {
    StepAddress {
        workflow: WorkflowId::parse(workflow).unwrap(),
        role: role(of),
        step: StepId::parse(step).unwrap(),
    }
}

/// A role, and a workflow with two steps for it.
fn config(grade: LayerGrade) -> Config {
    let mut config = Config::default();
    let reviewer = Role {
        description: None,
        bundles: bundles(&["docs", "repo", "docs"]),
        tools: NameFilter::default(),
    };
    config.roles.insert(role("reviewer"), entry(reviewer, grade));
    let steps = IndexMap::from([
        (StepId::parse("check").unwrap(), bundles(&["repo"])),
        (StepId::parse("publish").unwrap(), bundles(&["docs"])),
    ]);
    let workflow = Workflow { roles: IndexMap::from([(role("reviewer"), steps)]) };
    config.workflows.insert(WorkflowId::parse("release").unwrap(), entry(workflow, grade));
    config
}

/// Shows: P11-1.
#[test]
fn an_address_has_its_bundles_each_time_and_an_unknown_one_has_none() {
    let routing = BundleRouting::of(&config(LayerGrade::Person), &Acceptances::default());
    for _ in 0..3 {
        assert_eq!(routing.bundles_of_role(&role("reviewer")), bundles(&["docs", "repo"]));
        let check = step("release", "reviewer", "check");
        assert_eq!(routing.bundles_of_step(&check), bundles(&["repo"]));
    }
    assert!(routing.bundles_of_role(&role("stranger")).is_empty());
    for unknown in [
        step("release", "reviewer", "other"),
        step("release", "stranger", "check"),
        step("other", "reviewer", "check"),
    ] {
        assert!(routing.bundles_of_step(&unknown).is_empty(), "{unknown:?}");
    }
}

#[test]
fn an_override_takes_the_place_of_one_step_and_of_no_other() {
    let routing = BundleRouting::of(&config(LayerGrade::Person), &Acceptances::default());
    let check = step("release", "reviewer", "check");
    let added = step("release", "writer", "draft");
    let overrides =
        [(check.clone(), bundles(&["build"])), (added.clone(), bundles(&["docs", "docs"]))];
    let routing = routing.with_overrides(overrides);
    assert_eq!(routing.bundles_of_step(&check), bundles(&["build"]));
    assert_eq!(routing.bundles_of_step(&added), bundles(&["docs"]));
    let publish = step("release", "reviewer", "publish");
    assert_eq!(routing.bundles_of_step(&publish), bundles(&["docs"]));
    assert_eq!(routing.bundles_of_role(&role("reviewer")), bundles(&["docs", "repo"]));
    let emptied = routing.with_overrides([(publish.clone(), Vec::new())]);
    assert!(emptied.bundles_of_step(&publish).is_empty());
}

#[test]
fn what_a_project_brings_maps_nothing_before_it_is_accepted() {
    let config = config(LayerGrade::Project);
    let (reviewer, check) = (role("reviewer"), step("release", "reviewer", "check"));
    let pending = BundleRouting::of(&config, &Acceptances::default());
    assert!(pending.bundles_of_role(&reviewer).is_empty());
    assert!(pending.bundles_of_step(&check).is_empty());
    let accepted = |kind, id: &str| AcceptedEntry {
        kind,
        id: id.to_owned(),
        fingerprint: fingerprint(),
        trust: Trust::Untrusted,
        accepted_at: 0,
    };
    let acceptances = Acceptances::new(vec![
        accepted(EntryKind::Role, "reviewer"),
        accepted(EntryKind::Workflow, "release"),
    ]);
    let routing = BundleRouting::of(&config, &acceptances);
    assert_eq!(routing.bundles_of_role(&reviewer), bundles(&["docs", "repo"]));
    assert_eq!(routing.bundles_of_step(&check), bundles(&["repo"]));
}
