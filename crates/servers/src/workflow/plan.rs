//! `plan_get` and `plan_set`: the steps of the work, and how far each has come.

use std::time::SystemTime;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_store::{KeptFor, KeptPlan};
use toolgate_types::config::ApprovalMode;
use toolgate_types::{ToolHints, since_1970};

use super::{WorkflowRefusal, WorkflowServer, WorkflowToolRun};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool};

const MOST_STEPS: usize = 100;
const LONGEST_STEP: usize = 500;
const LONGEST_GOAL: usize = 2_000;

/// Gives the plan of this workspace.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanGet {}

/// Writes the plan of this workspace anew.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanSet {
    /// What the work is for.
    pub goal: Option<String>,
    /// All steps, in order.
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    pub text: String,
    #[serde(default)]
    pub state: StepState,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    #[default]
    Pending,
    InProgress,
    Done,
    Dropped,
}

/// A plan as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkPlan {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// None where there is no plan yet.
    pub steps: Vec<PlanStep>,
}

impl BuiltinTool for PlanGet {
    const OFFER: OfferedTool = OfferedTool {
        name: "plan_get",
        title: "Read the plan",
        description: "Gives your plan for this workspace, as `plan_set` kept it.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = WorkPlan;
}

impl BuiltinTool for PlanSet {
    const OFFER: OfferedTool = OfferedTool {
        name: "plan_set",
        title: "Write the plan",
        description: "Replaces your plan for this workspace; it outlives the session. Give all \
                      steps each time.",
        hints: ToolHints {
            read_only: Some(false),
            destructive: Some(false),
            idempotent: Some(true),
            open_world: Some(false),
        },
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder"],
    };
    type Output = WorkPlan;
}

#[async_trait]
impl WorkflowToolRun for PlanGet {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<WorkPlan, WorkflowRefusal> {
        let kept = server.book.plan(&owner).await?;
        // What cannot be read was written by another version: then there is none.
        let plan = kept.and_then(|plan| serde_json::from_str(&plan.body).ok());
        Ok(plan.unwrap_or_default())
    }
}

#[async_trait]
impl WorkflowToolRun for PlanSet {
    async fn run(
        self,
        server: &WorkflowServer,
        owner: KeptFor,
    ) -> Result<WorkPlan, WorkflowRefusal> {
        let Self { goal, steps } = self;
        if steps.len() > MOST_STEPS {
            return Err(WorkflowRefusal::TooManySteps { count: steps.len(), most: MOST_STEPS });
        }
        bounded("goal", goal.as_deref().unwrap_or_default(), LONGEST_GOAL)?;
        for step in &steps {
            bounded("text", &step.text, LONGEST_STEP)?;
            if step.text.trim().is_empty() {
                return Err(WorkflowRefusal::Empty("text"));
            }
        }
        let plan = WorkPlan { goal, steps };
        let body = serde_json::to_string(&plan)
            .map_err(|error| WorkflowRefusal::Store(error.to_string()))?;
        let kept_at = since_1970(SystemTime::now());
        server.book.keep_plan(&owner, KeptPlan { body, kept_at }).await?;
        Ok(plan)
    }
}

pub(super) fn bounded(what: &'static str, text: &str, most: usize) -> Result<(), WorkflowRefusal> {
    match text.len() {
        length if length > most => Err(WorkflowRefusal::TooLong { what, length, most }),
        _ => Ok(()),
    }
}

impl BuiltinToolOutput for WorkPlan {
    fn text(&self) -> Vec<String> {
        if self.steps.is_empty() {
            return vec!["There is no plan yet.".to_owned()];
        }
        let mut text = self.goal.as_ref().map(|goal| format!("{goal}\n\n")).unwrap_or_default();
        for (number, PlanStep { text: step, state }) in (1..).zip(&self.steps) {
            let mark = match state {
                StepState::Pending => ' ',
                StepState::InProgress => '~',
                StepState::Done => 'x',
                StepState::Dropped => '-',
            };
            text.push_str(&format!("{number}. [{mark}] {step}\n"));
        }
        vec![text]
    }
}
