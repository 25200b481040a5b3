//! Decisions worked out ahead of the calls: what is left for a call is a lookup, the grants, and the
//! rules that look into arguments.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_types::Digest;

use crate::case::{Case, Grant, Matter, Owner, What};
use crate::ladder::{self, Reason, Ruling};
use crate::rules::{self, Rules};

/// What holds for one tool, resource or prompt before anybody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing(Ruling);

impl Standing {
    pub fn of(rules: &Rules, matter: &Matter<'_>) -> Self {
        Self(ladder::climb(rules, matter))
    }

    /// Without grants and arguments.
    pub fn ruling(&self) -> &Ruling {
        &self.0
    }

    pub(crate) fn answer(&self, rules: &Rules, case: &Case<'_>) -> Ruling {
        let is_denied = matches!(self.0, Ruling::Deny(_));
        if let What::CommandTool(facts) = case.matter.what
            && !is_denied
            && let Err(reason) = rules.check_run(&facts, case.arguments)
        {
            return Ruling::Deny(reason);
        }
        let ruling = match case.unlike {
            Some(unlike) if !is_denied => self.0.raised(Reason::Unlike(unlike)),
            _ => self.0.clone(),
        };
        if ruling.may_be_kept() && case.grants.iter().any(|grant| Grant::covers(grant, case)) {
            return Ruling::Allow(Reason::SessionGrant);
        }
        ruling
    }
}

/// The standings of an audience's tools.
#[derive(Debug)]
pub struct Standings {
    rules: Arc<Rules>,
    /// By server.
    tools: HashMap<Box<str>, ByName>,
}

/// With the definition that each holds for.
type ByName = HashMap<Box<str>, (Digest, Standing)>;

impl Standings {
    /// For each tool as it is defined now.
    pub fn of<'a>(
        rules: Arc<Rules>,
        tools: impl IntoIterator<Item = (Matter<'a>, Digest)>,
    ) -> Self {
        let mut all: HashMap<Box<str>, ByName> = HashMap::new();
        for (matter, definition) in tools {
            let standing = Standing::of(&rules, &matter);
            let of_server = all.entry(matter.owner().as_str().into()).or_default();
            of_server.insert(matter.name.into(), (definition, standing));
        }
        Self { rules, tools: all }
    }

    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Nothing if the tool was not there, or was defined otherwise.
    pub fn get(&self, owner: Owner<'_>, name: &str, definition: Digest) -> Option<&Standing> {
        let (as_it_was, standing) = self.tools.get(owner.as_str())?.get(name)?;
        (*as_it_was == definition).then_some(standing)
    }

    /// As [`crate::decide`], from the table where it can be.
    pub fn decide(&self, case: &Case<'_>) -> Ruling {
        match self.get(case.matter.owner(), case.matter.name, case.definition) {
            Some(standing) => standing.answer(&self.rules, case),
            None => rules::decide(&self.rules, case),
        }
    }
}
