//! Lists that are too long, and what stays as it was shown.

use super::*;

fn rules(above_tools: u64, above_tokens: u64) -> ExposureRules {
    let limit = |limit| (limit > 0).then_some(limit);
    let meta = MetaSection {
        above_tools: limit(above_tools),
        above_tokens: limit(above_tokens),
        ..MetaSection::default()
    };
    ExposureRules::of(&GatewaySection { meta, ..GatewaySection::default() })
}

fn list(tools: usize, tokens: usize) -> ListFigures {
    ListFigures { tools, tokens }
}

fn audience() -> Audience {
    Audience { exposure: Exposure::Auto, ..Audience::MODEL }
}

const BEFORE: Digest = Digest([1; 32]);
const AFTER: Digest = Digest([2; 32]);

#[test]
fn a_list_is_too_long_by_its_tools_or_by_its_tokens() {
    let rules = rules(100, 25_000);
    for (tools, tokens, expected) in
        [(100, 25_000, false), (101, 1, true), (1, 25_001, true), (0, 0, false)]
    {
        assert_eq!(rules.is_too_long(list(tools, tokens), false), expected, "{tools} {tokens}");
    }
    // One that was is so until both are a fifth below.
    for (tools, tokens, expected) in
        [(80, 1, true), (1, 20_000, true), (79, 19_999, false), (79, 20_000, true)]
    {
        assert_eq!(rules.is_too_long(list(tools, tokens), true), expected, "{tools} {tokens}");
    }
}

#[test]
fn no_limit_means_never() {
    let rules = rules(0, 0);
    assert!(!rules.is_too_long(list(usize::MAX, usize::MAX), true));
    let only_tokens = self::rules(0, 10);
    assert!(only_tokens.is_too_long(list(1, 11), false));
    assert!(!only_tokens.is_too_long(list(5_000, 10), false));
}

#[test]
fn what_was_shown_stays_for_one_state_of_the_configuration() {
    let rules = rules(100, 25_000);
    let mut decisions = ExposureDecisions::default();
    let short = list(40, 1000);
    assert!(!decisions.judge(&audience(), BEFORE, &rules, short));
    decisions.keep(&audience(), BEFORE, false, false);
    // It grows while it is shown.
    let long = list(300, 1000);
    assert!(!decisions.judge(&audience(), BEFORE, &rules, long));
    // Another configuration is another decision; from then on it takes a good deal less.
    assert!(decisions.judge(&audience(), AFTER, &rules, long));
    decisions.keep(&audience(), AFTER, true, false);
    assert!(decisions.judge(&audience(), AFTER, &rules, list(1, 1)));
    assert!(decisions.judge(&audience(), BEFORE, &rules, list(90, 1)));
    assert!(!decisions.judge(&audience(), BEFORE, &rules, list(70, 1)));
}

#[test]
fn what_was_decided_too_early_is_decided_again_once_nobody_is_there() {
    let rules = rules(100, 25_000);
    let mut decisions = ExposureDecisions::default();
    decisions.keep(&audience(), BEFORE, false, true);
    let long = list(300, 1000);
    assert!(!decisions.judge(&audience(), BEFORE, &rules, long));
    assert!(decisions.reopen());
    assert!(!decisions.reopen(), "once");
    assert!(decisions.judge(&audience(), BEFORE, &rules, long));
    decisions.keep(&audience(), BEFORE, true, false);
    assert!(!decisions.reopen(), "everything was known");
    assert!(decisions.judge(&audience(), BEFORE, &rules, list(1, 1)));
}

#[test]
fn each_audience_has_its_own() {
    let rules = rules(100, 25_000);
    let mut decisions = ExposureDecisions::default();
    decisions.keep(&audience(), BEFORE, true, false);
    let other = Audience { naming: toolgate_types::config::Naming::Joined, ..audience() };
    assert!(!decisions.judge(&other, BEFORE, &rules, list(90, 1)));
    // A session's own folder or variables are no other audience.
    let overrides = Some(std::sync::Arc::default());
    assert!(decisions.judge(&Audience { overrides, ..audience() }, BEFORE, &rules, list(90, 1)));
}

#[test]
fn a_client_that_searches_by_itself_gets_everything_unless_the_person_says_otherwise() {
    let mut gateway = GatewaySection::default();
    let of = |gateway: &GatewaySection, client| ExposureRules::of(gateway).for_client(client);
    assert_eq!(of(&gateway, Some("claude-code")), Exposure::Direct);
    assert_eq!(of(&gateway, Some("codex")), Exposure::Auto);
    assert_eq!(of(&gateway, None), Exposure::Auto);
    gateway.exposure = Exposure::Meta;
    assert_eq!(of(&gateway, Some("claude-code")), Exposure::Meta);
    let client = toolgate_types::config::ClientSettings {
        exposure: Some(Exposure::Direct),
        ..Default::default()
    };
    gateway.clients.insert("codex".to_owned(), client);
    assert_eq!(of(&gateway, Some("codex")), Exposure::Direct);
    assert_eq!(of(&gateway, Some("other")), Exposure::Meta);
}
