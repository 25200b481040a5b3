//! The compiled rules of one audience.

use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::config::Policy;

use crate::arguments::{self, AllowedFolders};
use crate::call_rules::{CallRules, RuledCall, WrittenRule};
use crate::case::{CommandFacts, MatterOwner};
use crate::ladder::DecisionReason;
use crate::list::{ListEffect, ListOwner, ListRule, NameList};
use crate::pattern::{PatternSet, PatternSpelling, PrefixReading};
use crate::visibility::{
    ConfiguredValue, ServerPlaces, Unresolvable, Visibility, VisibilityInputs, VisibilityNarrowing,
};

/// Everything that decides for one audience in one workspace.
#[derive(Debug)]
pub struct AudienceRules {
    visibility: Visibility,
    forced: PatternSet,
    /// One of each for every layer that has such a list; all of them hold.
    working_folders: Vec<AllowedFolders>,
    argument_paths: Vec<AllowedFolders>,
    calls: CallRules,
}

impl AudienceRules {
    /// Folders in a policy are seen from `workspace`, which is absolute.
    pub fn of(inputs: &VisibilityInputs<'_>, workspace: &Path) -> Result<Self, Vec<Unresolvable>> {
        Self::beside(inputs, workspace, None)
    }

    /// The same beside another audience, whose servers' places are known.
    pub fn beside(
        inputs: &VisibilityInputs<'_>,
        workspace: &Path,
        places: Option<&Arc<ServerPlaces>>,
    ) -> Result<Self, Vec<Unresolvable>> {
        let folders = |effect, key: &str, pick: fn(&Policy) -> Option<&Vec<String>>| {
            let list = |policy: &ConfiguredValue<'_, Policy>| {
                let list =
                    NameList { whose: ListOwner::Policy, effect, origin: policy.place(&[key]) };
                pick(policy.value).map(|written| AllowedFolders::new(list, workspace, written))
            };
            inputs.policies.iter().filter_map(list).collect()
        };
        let forced = inputs.administrator.map(|one| one.forced()).unwrap_or_default();
        Ok(Self {
            visibility: Visibility::beside(inputs, places)?,
            // Either meaning of a pattern asks, as either denies.
            forced: PatternSet::new(forced, PrefixReading::Either, PatternSpelling::AsWritten),
            working_folders: folders(ListEffect::AllowFolders, "allowed_cwds", |policy| {
                policy.allowed_cwds.as_ref()
            }),
            argument_paths: folders(ListEffect::AllowPaths, "allowed_arg_paths", |policy| {
                policy.allowed_arg_paths.as_ref()
            }),
            calls: CallRules::of(&inputs.policies, inputs.administrator),
        })
    }

    /// The same, with this taken away of what is seen.
    #[must_use]
    pub fn narrowed(self, narrowing: VisibilityNarrowing) -> Self {
        Self { visibility: self.visibility.narrowed(narrowing), ..self }
    }

    pub fn into_visibility(self) -> Visibility {
        self.visibility
    }

    pub fn visibility(&self) -> &Visibility {
        &self.visibility
    }

    pub(crate) fn forces_approval(&self, owner: MatterOwner<'_>, tool: &str) -> Option<&ListRule> {
        self.forced.find(owner, tool)
    }

    /// The rule about calls that counts for this one.
    pub(crate) fn call_rule(
        &self,
        owner: MatterOwner<'_>,
        tool: &str,
        call: &RuledCall<'_>,
    ) -> Option<Arc<WrittenRule>> {
        self.calls.find(owner, tool, call)
    }

    /// Whether a command tool may run in a folder, whatever else is said of it.
    pub fn permits_folder(&self, folder: &Path) -> bool {
        self.check_folder(folder).is_ok()
    }

    /// Whether any policy says where command tools may run.
    pub fn limits_folders(&self) -> bool {
        !self.working_folders.is_empty()
    }

    pub(crate) fn check_folder(&self, folder: &Path) -> Result<(), DecisionReason> {
        match self.working_folders.iter().find(|list| !list.hold_folder(folder)) {
            Some(list) => Err(DecisionReason::FolderNotAllowed(list.list())),
            None => Ok(()),
        }
    }

    /// What depends on the one run: a session may have moved it to another folder.
    pub(crate) fn check_run(
        &self,
        facts: &CommandFacts<'_>,
        arguments: Option<&RawValue>,
    ) -> Result<(), DecisionReason> {
        self.check_folder(facts.cwd)?;
        arguments::check(arguments, facts.cwd, &self.argument_paths)
            .map_err(DecisionReason::Arguments)
    }
}
