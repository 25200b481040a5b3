//! Steps of workflows, as a run has them.

use toolgate_host::{Guard, StepAddress};
use toolgate_types::config::{BundleMode, Config, Workflow};

use crate::gate::{Gate, within};
use crate::policy::{approvals, bundle, bundle_id, deny, written};

/// A run gives single steps other bundles, of those that are configured; a new configuration keeps
/// that, and policy holds for what is given as for everything.
///
/// Shows: P11-2.
#[tokio::test(start_paused = true)]
async fn a_run_replaces_the_bundles_of_single_steps() {
    let step =
        |step: &str| StepAddress::parse(&format!("release/reviewer/{step}")).unwrap().unwrap();
    let configure = |config: &mut Config| {
        bundle(config, "reading", BundleMode::Direct, Some("read"));
        bundle(config, "writing", BundleMode::Direct, Some("write"));
        bundle(config, "dropping", BundleMode::Direct, Some("drop"));
        let mapped = ["check", "fix"].map(|name| (step(name).step, vec![bundle_id("reading")]));
        let roles = [(step("check").role, mapped.into_iter().collect())].into_iter().collect();
        config.workflows.insert(step("check").workflow, written("release", Workflow { roles }));
        config.policies = vec![written("deny", deny("drop"))];
    };
    let mut config = Config::default();
    let gate = Gate::guarded(Guard::default())
        .server_with("approvals", approvals(), |_| {})
        .configured(|built| {
            configure(built);
            config = built.clone();
        })
        .building(|host| {
            host.step_bundles(step("fix"), vec![bundle_id("writing"), bundle_id("dropping")])
                .step_bundles(step("new"), vec![bundle_id("reading")])
        })
        .run();
    let names = async |name: &str| {
        let resolved = within(gate.host.resolve_step(step(name))).await.unwrap();
        resolved.tools.tools().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    for round in 0..2 {
        assert_eq!(names("check").await, ["approvals.read"], "as it is configured");
        assert_eq!(names("fix").await, ["approvals.write"], "what policy denies is not there");
        assert_eq!(names("new").await, ["approvals.read"]);
        assert_eq!(names("other").await, [""; 0]);
        if round == 0 {
            within(gate.host.reload(&config, &Default::default(), None)).await;
        }
    }
}
