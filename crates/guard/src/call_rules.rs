//! Rules of a policy about calls: which tools, with which arguments, and what becomes of them.
//!
//! Whoever calls chooses the arguments and their spelling. So in doubt a deny, and a rule that asks, is
//! about a call, and an allow is not.

mod doubt;
mod text;

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::config::{CallRule, Policy, RuleEffect};
use toolgate_types::{LayerGrade, Origin, visible};

use crate::case::MatterOwner;
use crate::list::{ListEffect, ListOwner, NameList};
use crate::pattern::{PatternSet, PatternSpelling, PrefixReading};
use crate::visibility::ConfiguredValue;

/// The rules of all layers.
#[derive(Debug, Default)]
pub(crate) struct CallRules(Vec<CompiledRule>);

#[derive(Debug)]
struct CompiledRule {
    tools: PatternSet,
    written: Arc<WrittenRule>,
}

/// A rule and its place, to be named as the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRule {
    pub rule: CallRule,
    pub origin: Option<Origin>,
}

impl fmt::Display for WrittenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CallRule { tool, when, then } = &self.rule;
        write!(f, "a rule of the policy: {then} `{}`", visible(tool.as_str()))?;
        for (at, (name, glob)) in when.iter().enumerate() {
            let sign = if at == 0 { " when" } else { "," };
            write!(f, "{sign} {} = \"{}\"", visible(name), visible(glob))?;
        }
        match &self.origin {
            Some(origin) => write!(f, " ({origin})"),
            None => Ok(()),
        }
    }
}

impl CallRules {
    pub(crate) fn of(policies: &[ConfiguredValue<'_, Policy>]) -> Self {
        let rules = policies.iter().flat_map(|policy| {
            let origin = policy.place(&["rules"]);
            policy.value.rules.iter().filter_map(move |rule| compiled(rule, origin.as_ref()))
        });
        Self(rules.collect())
    }

    /// The rule that counts for a call. A deny wins over what asks, and that over an allow.
    pub(crate) fn find(
        &self,
        owner: MatterOwner<'_>,
        tool: &str,
        arguments: Option<&RawValue>,
    ) -> Option<Arc<WrittenRule>> {
        [RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow].into_iter().find_map(|effect| {
            let of_effect = self.0.iter().filter(|one| one.written.rule.then == effect);
            let mut named = of_effect.filter(|one| one.tools.find(owner, tool).is_some());
            let found = named.find(|one| one.written.rule.is_about(arguments));
            found.map(|one| Arc::clone(&one.written))
        })
    }
}

fn compiled(rule: &CallRule, origin: Option<&Origin>) -> Option<CompiledRule> {
    // What a project brings asks and denies. It is told so when it is read; here it holds.
    let is_a_projects = origin.is_some_and(|origin| origin.grade == LayerGrade::Project);
    if is_a_projects && rule.then == RuleEffect::Allow {
        return None;
    }
    let (effect, reading) = match rule.then {
        RuleEffect::Allow => (ListEffect::Allow, PrefixReading::Server),
        RuleEffect::Ask | RuleEffect::Deny => (ListEffect::Deny, PrefixReading::Either),
    };
    let list = NameList { whose: ListOwner::Policy, effect, origin: origin.cloned() };
    let tools = list.rules(std::slice::from_ref(&rule.tool));
    Some(CompiledRule {
        tools: PatternSet::new(tools, reading, PatternSpelling::AsWritten),
        written: Arc::new(WrittenRule { rule: rule.clone(), origin: origin.cloned() }),
    })
}

/// Whether a rule is about a call with these arguments.
trait AboutArguments {
    fn is_about(&self, arguments: Option<&RawValue>) -> bool;
}

impl AboutArguments for CallRule {
    fn is_about(&self, arguments: Option<&RawValue>) -> bool {
        match self.then {
            RuleEffect::Allow => doubt::surely_match(&self.when, arguments),
            RuleEffect::Ask | RuleEffect::Deny => doubt::may_match(&self.when, arguments),
        }
    }
}

#[cfg(test)]
mod tests;
