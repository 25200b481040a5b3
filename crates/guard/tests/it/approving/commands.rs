//! Command tools: nothing runs them yet, but the guard decides and asks about them as about all.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_guard::{
    ApprovalOutcome, ApprovalQueue, ApprovalRequest, ApprovalSubject, AudienceRules, CommandFacts,
    Decision, DecisionReason, Guard, MatterDetail, NotWaiting, PermissionWithheld, Permitted,
    PolicyCase, PolicyMatter, Refusal, SessionGrant, ShownCall, UnaskedDecision,
};
use toolgate_types::ApprovalChoice;
use toolgate_types::Trust::Trusted;
use toolgate_types::config::{NetworkAccess, SandboxProfile, SideEffect, SideEffects};
use toolgate_types::{Caller, Digest, Operation};

use super::{caller, json, request, says, session};
use crate::world::{WORKSPACE, World, deny};

const ENTRY: Digest = Digest([1; 32]);
const ARGUMENTS: &str = r#"{ "path":"src/\u0061",  "depth": 1.50 }"#;

static READS: SideEffects = SideEffects::Declared(Vec::new());

/// Of low risk, and its entry says nothing of approval.
fn usual(side_effects: &SideEffects) -> CommandFacts<'_> {
    CommandFacts {
        side_effects,
        profile: SandboxProfile::Default,
        network: &NetworkAccess::Off,
        requires_approval: true,
        cwd: Path::new(WORKSPACE),
    }
}

/// The same with `requires_approval = false`.
fn waved_through(side_effects: &SideEffects) -> CommandFacts<'_> {
    CommandFacts { requires_approval: false, ..usual(side_effects) }
}

/// Who calls the tool `run`, and who may be asked.
struct Shop {
    rules: AudienceRules,
    approvals: ApprovalQueue,
}

impl Shop {
    fn of(world: &World) -> Self {
        Self { rules: world.rules(), approvals: ApprovalQueue::new(None) }
    }

    fn decide(&self, facts: CommandFacts<'_>, caller: &Caller, arguments: &RawValue) -> Decision {
        let of_session = caller.session.as_ref();
        let grants = of_session.map(|session| self.approvals.grants(&caller.principal, session));
        let case = PolicyCase {
            matter: PolicyMatter { name: "run", what: MatterDetail::CommandTool(facts) },
            principal: &caller.principal,
            session: of_session,
            definition: ENTRY,
            grants: &grants.unwrap_or_default(),
            unlike: None,
            arguments: Some(arguments),
            defined: None,
        };
        Guard::default().decide(&self.rules, &case)
    }

    /// Decides, asks a person who says this, and decides again with what they said.
    async fn run(
        &self,
        facts: CommandFacts<'_>,
        of: &str,
        says: impl FnOnce(&ApprovalRequest) -> ApprovalChoice,
    ) -> Result<Permitted<Operation>, PermissionWithheld> {
        let (caller, guard) = (caller(of), Guard::default());
        let arguments = json(ARGUMENTS);
        let operation = || Operation::CallTool {
            name: "run".into(),
            arguments: Some(arguments.clone().into()),
        };
        let subject = || ApprovalSubject {
            server: "local",
            definition: ENTRY,
            caller: Some(&caller),
            address: vec!["everything"],
            policy: None,
            command: None,
        };
        let decision = self.decide(facts, &caller, &arguments);
        let unasked = match guard.permit(decision, operation(), subject, None) {
            Err(PermissionWithheld::Unasked(unasked)) => unasked,
            settled => return settled,
        };
        let digest = subject().digest(&operation()).unwrap();
        let request = self.request(digest, of, &unasked);
        let choice = says(&request);
        let mut held = self.approvals.put(request).unwrap();
        self.approvals.answer(held.reference(), super::says(choice)).unwrap();
        let consent = held.settled().await.map_err(|settled| match settled {
            ApprovalOutcome::Answered(_) => PermissionWithheld::Refused(Refusal::Declined(None)),
            other => panic!("{other:?}"),
        })?;
        let decision = self.decide(facts, &caller, &arguments);
        guard.permit(decision, operation(), subject, Some(consent))
    }

    fn request(&self, subject: Digest, of: &str, unasked: &UnaskedDecision) -> ApprovalRequest {
        let arguments = Some(json(ARGUMENTS).into());
        let call = Arc::new(ShownCall { arguments, also_sent: None });
        let whole = ApprovalRequest { call, ..request(0, of, &Arc::default()) };
        let grant = whole.grant.clone().filter(|_| unasked.may_be_kept);
        let (owner, tool) = ("local".to_owned(), "run".to_owned());
        let grant = grant.map(|grant| SessionGrant { owner, tool, definition: ENTRY, ..grant });
        ApprovalRequest {
            subject,
            grant,
            server: "local".to_owned(),
            tool: "run".to_owned(),
            ..whole
        }
    }
}

fn nobody_is_asked(_: &ApprovalRequest) -> ApprovalChoice {
    panic!("nobody is asked")
}

/// What ran is what was asked for, to the byte.
fn ran(done: Result<Permitted<Operation>, PermissionWithheld>) {
    let permitted = done.unwrap();
    let Operation::CallTool { name, arguments: Some(arguments) } = permitted.get() else {
        panic!("{permitted:?}")
    };
    assert_eq!((&**name, arguments.get()), ("run", ARGUMENTS));
}

/// Shows: S3-20, S3-26.
#[tokio::test(start_paused = true)]
async fn each_run_is_asked_for_unless_the_entry_waves_it_through() {
    let shop = Shop::of(&World::default());
    let mut asked = 0;
    for _ in 0..3 {
        let once = |_: &ApprovalRequest| {
            asked += 1;
            ApprovalChoice::Once
        };
        ran(shop.run(usual(&READS), "s", once).await);
    }
    assert_eq!(asked, 3);
    let denied = shop.run(usual(&READS), "s", |_| ApprovalChoice::Deny).await.unwrap_err();
    assert_eq!(denied, PermissionWithheld::Refused(Refusal::Declined(None)));
    ran(shop.run(waved_through(&READS), "s", nobody_is_asked).await);
}

/// What makes a tool one of high risk, each alone.
fn risky<'a>(effects: &'a [SideEffects; 3]) -> [(&'static str, CommandFacts<'a>); 5] {
    let [writes, network, undeclared] = effects;
    [
        ("writes", waved_through(writes)),
        ("uses the network", waved_through(network)),
        ("does not declare", waved_through(undeclared)),
        (
            "network open",
            CommandFacts { network: &NetworkAccess::Everything, ..waved_through(&READS) },
        ),
        ("no sandbox", CommandFacts { profile: SandboxProfile::None, ..waved_through(&READS) }),
    ]
}

fn effects() -> [SideEffects; 3] {
    [
        SideEffects::Declared(vec![SideEffect::FsRead, SideEffect::FsWrite]),
        SideEffects::Declared(vec![SideEffect::Network]),
        SideEffects::NotDeclared,
    ]
}

/// Shows: S3-27, G3.
#[tokio::test(start_paused = true)]
async fn what_is_of_high_risk_is_asked_for_though_its_entry_waves_it_through() {
    let effects = effects();
    for (what, facts) in risky(&effects) {
        let shop = Shop::of(&World::default());
        for _ in 0..2 {
            let mut is_asked = false;
            let once = |_: &ApprovalRequest| {
                is_asked = true;
                ApprovalChoice::Once
            };
            ran(shop.run(facts, "s", once).await);
            assert!(is_asked, "{what}");
        }
    }
}

/// Shows: S3-26, S3-27, G3, C18.
#[tokio::test(start_paused = true)]
async fn an_answer_for_the_session_satisfies_all_but_what_runs_outside_the_sandbox() {
    let effects = effects();
    for (what, facts) in risky(&effects).into_iter().chain([("usual", usual(&READS))]) {
        let shop = Shop::of(&World::default());
        if facts.profile == SandboxProfile::None {
            let once = |request: &ApprovalRequest| {
                assert_eq!(
                    request.choices(),
                    [ApprovalChoice::Once, ApprovalChoice::Deny],
                    "{what}"
                );
                ApprovalChoice::Once
            };
            ran(shop.run(facts, "s", once).await);
            continue;
        }
        ran(shop.run(facts, "s", |_| ApprovalChoice::Session).await);
        ran(shop.run(facts, "s", nobody_is_asked).await);
        let mut asked = 0;
        let mut once = |_: &ApprovalRequest| {
            asked += 1;
            ApprovalChoice::Once
        };
        ran(shop.run(facts, "another", &mut once).await);
        shop.approvals.end_session(&session("s"));
        ran(shop.run(facts, "s", &mut once).await);
        assert_eq!(asked, 2, "{what}");
    }
}

/// Shows: C18, S3-26.
#[tokio::test(start_paused = true)]
async fn nothing_is_kept_longer_than_a_session() {
    let words: Vec<_> = ApprovalChoice::ALL.iter().map(|choice| choice.as_str()).collect();
    assert_eq!(words, ["once", "session", "deny"]);
    for word in ["always", "forever", "remember", "yes", ""] {
        assert_eq!(ApprovalChoice::parse(word), None, "{word}");
    }
    let approvals = ApprovalQueue::new(None);
    let without = ApprovalRequest { grant: None, ..request(0, "s", &Arc::default()) };
    let held = approvals.put(without).unwrap();
    let kept = approvals.answer(held.reference(), says(ApprovalChoice::Session));
    assert_eq!(kept, Err(NotWaiting::NotOffered), "and not even that where there is no session");
}

/// Shows: C17.
#[tokio::test(start_paused = true)]
async fn the_ladder_is_a_deny_then_high_risk_then_the_entrys_own_word() {
    let writes = SideEffects::Declared(vec![SideEffect::FsWrite]);
    let ruled = |world: &World, facts| {
        let decision = Shop::of(world).decide(facts, &caller("s"), &json("{}"));
        let Decision::Ruled(ruling) = decision else { panic!("{decision:?}") };
        ruling.to_string()
    };
    let (free, denying) = (World::with(Trusted), World::with(Trusted).policy(deny(&["run"])));
    let careful = CommandFacts { requires_approval: true, ..usual(&writes) };
    for facts in [waved_through(&READS), waved_through(&writes), careful] {
        assert!(ruled(&denying, facts).starts_with("deny: "));
    }
    assert!(ruled(&free, careful).starts_with("ask: of high risk"));
    assert!(ruled(&free, waved_through(&writes)).starts_with("ask: of high risk"));
    assert_eq!(ruled(&free, usual(&READS)), "ask: its entry has `requires_approval = true`");
    assert!(ruled(&free, waved_through(&READS)).starts_with("allow: of low risk"));
}

/// A person cannot undo what a policy denies, not even one who was asked before it did.
#[tokio::test(start_paused = true)]
async fn no_consent_undoes_a_deny() {
    let denying = Shop::of(&World::default().policy(deny(&["run"])));
    let (arguments, caller) = (json(ARGUMENTS), caller("s"));
    let operation = Operation::CallTool { name: "run".into(), arguments: Some(arguments.into()) };
    let subject = ApprovalSubject {
        server: "local",
        definition: ENTRY,
        caller: Some(&caller),
        address: vec!["everything"],
        policy: None,
        command: None,
    };
    let consent = super::consent_to(subject.digest(&operation).unwrap(), None).await;
    let decision = denying.decide(usual(&READS), &caller, &json(ARGUMENTS));
    let done = Guard::default().permit(decision, operation, || subject, Some(consent));
    let Err(PermissionWithheld::Refused(Refusal::Denied(DecisionReason::Hidden(_)))) = done else {
        panic!("{done:?}")
    };
}
