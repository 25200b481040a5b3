//! What whoever lists wrote of a tool: kept for everybody who knows the tool by that name, and across
//! loads, for as long as it would be written the same.

use std::sync::Arc;

use toolgate_host::{Audience, AudienceAddress, Host, ToolView};
use toolgate_types::config::{
    ApprovalMode, Config, Naming, Server, ShownToolName, ToolSettings, ToolShaping,
};
use toolgate_types::{Acceptances, Pattern};

use crate::gate::{Gate, id, within};
use crate::processes::{config, process, worker};

/// What was written of the first tool that an audience lists.
fn written(host: &Host, audience: &Audience) -> Option<Vec<u8>> {
    host.view(audience).listed_written(0).map(<[u8]>::to_vec)
}

fn write(host: &Host, audience: &Audience, text: &str) {
    let view = host.view(audience);
    let tool = view.listed_tool(0).unwrap();
    assert_eq!(tool.written(|| Some(text.into())), Some(text.as_bytes()));
}

/// Two servers, of which the one that lists the first tool is changed so.
fn with(change: impl FnOnce(&mut Server)) -> Config {
    let mut one = process(&worker());
    change(&mut one);
    config([("one", one), ("two", process(&worker()))])
}

async fn load(host: &Host, config: &Config) {
    within(host.reload(config, &Acceptances::default(), None)).await;
}

fn shaped(shaping: ToolShaping) -> ToolSettings {
    ToolSettings { shaping: Some(Arc::new(shaping)), ..ToolSettings::default() }
}

#[tokio::test]
async fn what_is_written_of_a_tool_is_there_for_all_who_know_it_by_that_name() {
    let own = with(|_| {});
    let gate = Gate::open().configured(|config| config.servers = own.servers.clone()).run();
    within(gate.host.list_tools(&Audience::MODEL)).await;
    assert_eq!(written(&gate.host, &Audience::MODEL), None, "nobody wrote it yet");
    write(&gate.host, &Audience::MODEL, "first");
    let one_alone = Audience::at(AudienceAddress::Everything.only(id("one")));
    assert_eq!(written(&gate.host, &one_alone).as_deref(), Some(&b"first"[..]));
    let dotted = Audience::named(Naming::Dotted);
    assert_eq!(written(&gate.host, &dotted), None, "under another name it is another text");
    gate.host.close_all().await;
}

#[tokio::test]
async fn it_outlives_a_load_that_leaves_it_as_it_is_and_no_other() {
    let own = with(|_| {});
    let gate = Gate::open().configured(|config| config.servers = own.servers.clone()).run();
    let (host, model) = (&gate.host, Audience::MODEL);
    within(host.list_tools(&model)).await;
    write(host, &model, "first");
    let before = host.view(&model).tools().len();
    let mut other = with(|one| one.approval = Some(ApprovalMode::Prompt));
    let two = other.servers.get_mut(&id("two")).unwrap();
    two.value.tools.deny.push(Pattern::parse("slow").unwrap());
    load(host, &other).await;
    assert_eq!(host.view(&model).tools().len(), before - 1, "the load is seen");
    assert_eq!(written(host, &model).as_deref(), Some(&b"first"[..]));

    load(host, &with(|one| one.omit_output_schemas = true)).await;
    assert_eq!(written(host, &model), None, "it is listed without a schema for results now");
    write(host, &model, "second");
    let described = ToolShaping { description: Some("else".into()), ..ToolShaping::default() };
    let settings = shaped(described);
    let shaping = with(|one| {
        one.omit_output_schemas = true;
        one.tool_settings
            .extend(["die", "grow", "pid", "slow"].map(|tool| (tool.into(), settings.clone())));
    });
    load(host, &shaping).await;
    assert_eq!(written(host, &model), None, "it is described otherwise now");
    write(host, &model, "third");
    load(host, &with(|_| {})).await;
    assert_eq!(written(host, &model), None, "and no longer");
    gate.host.close_all().await;
}

#[tokio::test]
async fn a_tool_that_is_renamed_by_a_load_is_found_under_its_new_name_alone() {
    let own = with(|_| {});
    let gate = Gate::open().configured(|config| config.servers = own.servers.clone()).run();
    let (host, joined) = (&gate.host, Audience::named(Naming::Joined));
    within(host.list_tools(&joined)).await;
    assert!(host.view(&joined).resolve("one__pid").is_some());
    let rename = ShownToolName::parse("number").unwrap();
    let settings = shaped(ToolShaping { rename: Some(rename), ..ToolShaping::default() });
    load(host, &with(|one| drop(one.tool_settings.insert("pid".into(), settings)))).await;
    let view = host.view(&joined);
    assert!(view.resolve("one__number").is_some() && view.resolve("one__pid").is_none());
    gate.host.close_all().await;
}

/// What is worked out before anybody asks is of the state it was worked out in, and a load may come before
/// somebody does ask.
#[tokio::test]
async fn a_list_that_was_worked_out_ahead_is_not_shown_after_a_load_that_changes_it() {
    let own = with(|_| {});
    let gate = Gate::open().configured(|config| config.servers = own.servers.clone()).run();
    let (host, model) = (&gate.host, Audience::MODEL);
    // The lists are known, and nobody asked as this one.
    within(host.list_tools(&Audience::named(Naming::Dotted))).await;
    let ahead = host.view_ahead(&model).unwrap();
    let again = host.view_ahead(&model).unwrap();
    assert!(Arc::ptr_eq(&ahead, &again), "it is worked out once");
    assert!(Arc::ptr_eq(&ahead, &host.view(&model)), "whoever asks gets it");
    assert!(host.view_ahead(&model).is_none(), "somebody asked");
    let second = Audience::at(AudienceAddress::Everything.only(id("one")));
    let before = host.view_ahead(&second).unwrap();
    let shows = |view: &ToolView| view.tools().any(|tool| tool.name().contains("one_slow"));
    assert!(shows(&ahead) && shows(&before));
    load(host, &with(|one| one.tools.deny.push(Pattern::parse("slow").unwrap()))).await;
    for (audience, stale) in [(&model, &ahead), (&second, &before)] {
        let now = host.view(audience);
        assert_eq!(now.tools().len(), stale.tools().len() - 1);
        assert!(!shows(&now));
    }
    gate.host.close_all().await;
}
