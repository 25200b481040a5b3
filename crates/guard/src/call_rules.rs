//! Rules of a policy about calls: which tools, with which arguments, and what becomes of them.
//!
//! Whoever calls chooses the arguments and their spelling. So in doubt a deny, and a rule that asks, is
//! about a call, and an allow is not.

mod doubt;
mod text;

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use toolgate_types::config::{CallRule, Policy, RuleEffect};
use toolgate_types::{Digest, LayerGrade, Origin, visible};

use crate::administrator::Administrator;
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
    pub whose: ListOwner,
    pub origin: Option<Origin>,
}

impl fmt::Display for WrittenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CallRule { tool, when, definition, then } = &self.rule;
        write!(f, "a rule of {}: {then} `{}`", self.whose, visible(tool.as_str()))?;
        for (at, (name, glob)) in when.iter().enumerate() {
            let sign = if at == 0 { " when" } else { "," };
            write!(f, "{sign} {} = \"{}\"", visible(name), visible(glob))?;
        }
        if let Some(hash) = definition {
            write!(f, ", of the definition {}", &hash.to_hex()[..12])?;
        }
        match &self.origin {
            Some(origin) => write!(f, " ({origin})"),
            None => Ok(()),
        }
    }
}

impl CallRules {
    /// Of every layer, and of the administrator, who only asks and denies.
    pub(crate) fn of(
        policies: &[ConfiguredValue<'_, Policy>],
        administrator: Option<&Administrator>,
    ) -> Self {
        let rules = policies.iter().flat_map(|policy| {
            let origin = policy.place(&["rules"]);
            let compiled = move |rule| compiled(rule, &ListOwner::Policy, origin.as_ref());
            policy.value.rules.iter().filter_map(compiled)
        });
        let above = administrator.into_iter().flat_map(|one| {
            let is_narrower = |rule: &&CallRule| rule.then != RuleEffect::Allow;
            let (rules, origin) = (one.rules.iter().filter(is_narrower), one.place("rules"));
            rules.filter_map(move |rule| compiled(rule, &ListOwner::Administrator, origin.as_ref()))
        });
        Self(above.chain(rules).collect())
    }

    /// The rule that counts for a call. A deny wins over what asks, and that over an allow.
    pub(crate) fn find(
        &self,
        owner: MatterOwner<'_>,
        tool: &str,
        call: &RuledCall<'_>,
    ) -> Option<Arc<WrittenRule>> {
        [RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow].into_iter().find_map(|effect| {
            let of_effect = self.0.iter().filter(|one| one.written.rule.then == effect);
            let mut named = of_effect.filter(|one| one.tools.find(owner, tool).is_some());
            let found = named.find(|one| one.written.rule.is_about(call));
            found.map(|one| Arc::clone(&one.written))
        })
    }
}

fn compiled(rule: &CallRule, whose: &ListOwner, origin: Option<&Origin>) -> Option<CompiledRule> {
    // What a project brings asks and denies. It is told so when it is read; here it holds.
    let is_a_projects = origin.is_some_and(|origin| origin.grade == LayerGrade::Project);
    if is_a_projects && rule.then == RuleEffect::Allow {
        return None;
    }
    let (effect, reading) = match rule.then {
        RuleEffect::Allow => (ListEffect::Allow, PrefixReading::Server),
        RuleEffect::Ask | RuleEffect::Deny => (ListEffect::Deny, PrefixReading::Either),
    };
    let list = NameList { whose: whose.clone(), effect, origin: origin.cloned() };
    let tools = list.rules(std::slice::from_ref(&rule.tool));
    Some(CompiledRule {
        tools: PatternSet::new(tools, reading, PatternSpelling::AsWritten),
        written: Arc::new(WrittenRule {
            rule: rule.clone(),
            whose: whose.clone(),
            origin: origin.cloned(),
        }),
    })
}

/// What of a call a rule looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuledCall<'a> {
    pub(crate) arguments: Option<&'a RawValue>,
    /// The tool's definition as its server sends it now, where that is known.
    pub(crate) defined: Option<&'a str>,
}

/// Whether a rule is about a call.
trait AboutCall {
    fn is_about(&self, call: &RuledCall<'_>) -> bool;
}

impl AboutCall for CallRule {
    fn is_about(&self, call: &RuledCall<'_>) -> bool {
        // Hashed only where a rule wants to know.
        let defined =
            |hash: Digest| call.defined.map(|text| Digest(Sha256::digest(text).into()) == hash);
        let is_that_one = self.definition.map(defined);
        match self.then {
            RuleEffect::Allow => {
                matches!(is_that_one, None | Some(Some(true)))
                    && doubt::surely_match(&self.when, call.arguments)
            }
            RuleEffect::Ask | RuleEffect::Deny => {
                !matches!(is_that_one, Some(Some(false)))
                    && doubt::may_match(&self.when, call.arguments)
            }
        }
    }
}

#[cfg(test)]
mod tests;
