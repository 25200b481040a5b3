//! `toolgate policy suggest`: what you approved again and again becomes a rule, if you want it to.
//!
//! Proposed are tools that only read, of servers of your own file that you trust, as they are defined
//! now. Nothing is written without a yes.

use serde_json::{Map, Value, json};
use toolgate_audit::approved_tools;
use toolgate_config::EditScope;
use toolgate_config::change::{append_rules, rule_text};
use toolgate_terminal::{CommandOutput, can_ask, confirm_about, counted};
use toolgate_types::config::CallRule;
use toolgate_types::visible;

use crate::args::{PolicyVerb, ScopeArg};
use crate::failure::{CommandResult, Exit};
use crate::pinned_tools::pinned;
use crate::surroundings::{Surroundings, wait};

/// A rule, and how often it would have spared a question.
struct SuggestedRule {
    rule: CallRule,
    times: usize,
}

pub(crate) fn run(
    verb: &PolicyVerb,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let PolicyVerb::Suggest { at_least } = verb;
    let loaded = surroundings.load(ScopeArg::Effective);
    let pins = pinned(surroundings, &loaded)?;
    let approved = wait(approved_tools(&surroundings.store_to_read()?))?;
    let is_there = |rule: &CallRule| {
        loaded.config.policies.iter().any(|policy| policy.value.rules.contains(rule))
    };
    let mut suggested = Vec::new();
    for tool in approved.iter().filter(|tool| tool.times >= *at_least) {
        let of = pins.iter().find(|of| of.key.server.as_str() == tool.server);
        if let Some(rule) = of.and_then(|of| of.rule_for(&tool.tool, tool.definition))
            && !is_there(&rule)
        {
            suggested.push(SuggestedRule { rule, times: tool.times });
        }
    }
    let written = write(&suggested, surroundings, output)?;
    if output.json {
        let rules = suggested.iter().map(|SuggestedRule { rule, times }| {
            json!({ "tool": rule.tool.as_str(), "approved": times, "rule": rule_text(rule) })
        });
        let mut fields = Map::new();
        fields.insert("suggested".into(), rules.collect());
        fields.insert("written".into(), Value::from(written));
        output.document(fields);
    }
    Ok(Exit::Ok)
}

/// Shows them, asks, and writes; how many were.
fn write(
    suggested: &[SuggestedRule],
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> Result<usize, crate::failure::CliFailure> {
    if suggested.is_empty() {
        output.note("nothing to suggest: no tool that only reads was approved often enough");
        return Ok(0);
    }
    let mut text = String::new();
    for SuggestedRule { rule, times } in suggested {
        let (name, times) = (visible(rule.tool.as_str()), counted(*times, "time"));
        text.push_str(&format!("`{name}` was approved {times}, never denied\n"));
        text.push_str(&format!("{}\n", visible_lines(&rule_text(rule))));
    }
    let file = surroundings.file_of(EditScope::Global)?;
    let rules = counted(suggested.len(), "rule");
    let question = format!(
        "write {rules} into {}? Such calls then run without asking you, for as long as the tool is \
         defined as it is now",
        surroundings.shown(&file.path)
    );
    output.flush();
    if output.json || !can_ask() {
        if !output.json {
            output.raw(&text);
        }
        output.note("nothing was written: that needs a person at a terminal");
        return Ok(0);
    }
    if !confirm_about(&text, &text, &question) {
        output.note("nothing was written");
        return Ok(0);
    }
    let rules: Vec<CallRule> = suggested.iter().map(|one| one.rule.clone()).collect();
    append_rules(&file, &rules, &surroundings.lock_folder()?)
        .map_err(crate::failure::CliFailure::new)?;
    output.note(format!(
        "wrote {} into {}",
        counted(rules.len(), "rule"),
        surroundings.shown(&file.path)
    ));
    Ok(rules.len())
}

fn visible_lines(text: &str) -> String {
    text.lines().map(|line| format!("  {}\n", visible(line))).collect()
}
