//! How long each step of a call took.

use std::time::{Duration, Instant};

use crate::json_members::JsonMembers;

/// The steps of a call, as the page of the architecture numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStep {
    Resolve,
    Check,
    Decide,
    Approve,
    Record,
    Perform,
    Screen,
}

impl CallStep {
    /// How many there are.
    const COUNT: usize = Self::Screen as usize + 1;

    fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::Check => "check",
            Self::Decide => "decide",
            Self::Approve => "approve",
            Self::Record => "record",
            Self::Perform => "perform",
            Self::Screen => "screen",
        }
    }
}

/// The steps that were taken, each with its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct TimedSteps {
    /// In their order, from the first place on.
    taken: [Option<(CallStep, Duration)>; CallStep::COUNT],
    last: Option<Instant>,
}

impl TimedSteps {
    pub(crate) fn begin(now: Instant) -> Self {
        Self { last: Some(now), ..Self::default() }
    }

    /// A step is over; the next begins. What is done again, as after a person was asked, is added up.
    pub(crate) fn took(&mut self, step: CallStep, now: Instant) {
        let since = self.last.replace(now).unwrap_or(now);
        let took = now.saturating_duration_since(since);
        let is_its = |place: &&mut Option<(CallStep, Duration)>| {
            place.as_ref().is_none_or(|(taken, _)| *taken == step)
        };
        // There is a place for each step.
        if let Some(place) = self.taken.iter_mut().find(is_its) {
            place.get_or_insert((step, Duration::ZERO)).1 += took;
        }
    }
}

impl TimedSteps {
    /// Each with its microseconds.
    pub(crate) fn write(&self, members: &mut JsonMembers<'_>) {
        for (step, took) in self.taken.iter().flatten() {
            members.number(step.as_str(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(steps: &TimedSteps) -> String {
        let mut out = Vec::new();
        let mut members = JsonMembers::begin(&mut out);
        steps.write(&mut members);
        members.end();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_step_lasts_from_the_end_of_the_one_before() {
        let start = Instant::now();
        let mut steps = TimedSteps::begin(start);
        steps.took(CallStep::Resolve, start + Duration::from_micros(5));
        steps.took(CallStep::Perform, start + Duration::from_micros(105));
        assert_eq!(json(&steps), r#"{"resolve":5,"perform":100}"#);
    }

    #[test]
    fn a_step_that_is_taken_twice_is_named_once_with_both_times() {
        let start = Instant::now();
        let mut steps = TimedSteps::begin(start);
        for (step, at) in [(CallStep::Resolve, 5), (CallStep::Approve, 65), (CallStep::Resolve, 67)]
        {
            steps.took(step, start + Duration::from_micros(at));
        }
        assert_eq!(json(&steps), r#"{"resolve":7,"approve":60}"#);
    }
}
