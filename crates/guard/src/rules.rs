//! The compiled rules of one audience, and what they decide about one case.

use std::path::Path;

use serde_json::value::RawValue;
use toolgate_types::config::Policy;

use crate::arguments::{self, Folders};
use crate::case::{Case, CommandFacts, Owner};
use crate::ladder::{Reason, Ruling};
use crate::list::{Effect, List, Rule, Whose};
use crate::pattern::{PatternSet, Reading, Spelled};
use crate::standing::Standing;
use crate::visibility::{Unresolvable, Visibility, VisibilityInputs, Written};

/// Everything that decides for one audience in one workspace.
#[derive(Debug)]
pub struct Rules {
    visibility: Visibility,
    forced: PatternSet,
    /// One of each for every layer that has such a list; all of them hold.
    working_folders: Vec<Folders>,
    argument_paths: Vec<Folders>,
}

impl Rules {
    /// Folders in a policy are seen from `workspace`, which is absolute.
    pub fn of(inputs: &VisibilityInputs<'_>, workspace: &Path) -> Result<Self, Vec<Unresolvable>> {
        let folders = |effect, key: &str, pick: fn(&Policy) -> Option<&Vec<String>>| {
            let list = |policy: &Written<'_, Policy>| {
                let list = List { whose: Whose::Policy, effect, origin: policy.place(&[key]) };
                pick(policy.value).map(|written| Folders::new(list, workspace, written))
            };
            inputs.policies.iter().filter_map(list).collect()
        };
        let forced = inputs.administrator.map(|one| one.forced()).unwrap_or_default();
        Ok(Self {
            visibility: Visibility::of(inputs)?,
            // Either meaning of a pattern asks, as either denies.
            forced: PatternSet::new(forced, Reading::Either, Spelled::AsWritten),
            working_folders: folders(Effect::AllowFolders, "allowed_cwds", |policy| {
                policy.allowed_cwds.as_ref()
            }),
            argument_paths: folders(Effect::AllowPaths, "allowed_arg_paths", |policy| {
                policy.allowed_arg_paths.as_ref()
            }),
        })
    }

    pub fn visibility(&self) -> &Visibility {
        &self.visibility
    }

    pub(crate) fn forces_approval(&self, owner: Owner<'_>, tool: &str) -> Option<&Rule> {
        self.forced.find(owner, tool)
    }

    pub(crate) fn check_folder(&self, folder: &Path) -> Result<(), Reason> {
        match self.working_folders.iter().find(|list| !list.hold_folder(folder)) {
            Some(list) => Err(Reason::FolderNotAllowed(list.list())),
            None => Ok(()),
        }
    }

    /// What depends on the one run: a session may have moved it to another folder.
    pub(crate) fn check_run(
        &self,
        facts: &CommandFacts<'_>,
        arguments: Option<&RawValue>,
    ) -> Result<(), Reason> {
        self.check_folder(facts.cwd)?;
        arguments::check(arguments, facts.cwd, &self.argument_paths).map_err(Reason::Arguments)
    }
}

/// Allow, ask or deny, with the reason. The same answer each time.
pub fn decide(rules: &Rules, case: &Case<'_>) -> Ruling {
    Standing::of(rules, &case.matter).answer(rules, case)
}
