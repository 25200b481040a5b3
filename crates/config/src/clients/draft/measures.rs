//! Flags and durations of another client's entry, in our own units.
//!
//! One that makes no sense is reported and left out: the default is safe.

use serde_json::Value as Json;

use super::ServerDraft;
use crate::clients::note::NoteKind;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

/// The unit a client counts time in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::clients) enum TimeUnit {
    Seconds,
    Millis,
}

impl ServerDraft<'_> {
    /// A flag; anything else is reported and left out.
    pub(in crate::clients) fn flag(&mut self, at: &DocumentPlace<'_>) -> Option<bool> {
        match at.node.value {
            ConfigValue::Bool(flag) => Some(flag),
            _ => {
                let message = format!("expected true or false, found {}", at.node.kind());
                self.note(NoteKind::NotMapped, at, message);
                None
            }
        }
    }

    /// A duration under one or more of our keys.
    pub(in crate::clients) fn duration(
        &mut self,
        at: &DocumentPlace<'_>,
        unit: TimeUnit,
        to: &[&str],
    ) {
        let number = match &at.node.value {
            ConfigValue::Number(number) => number.parse::<f64>().ok(),
            _ => None,
        };
        let factor = if unit == TimeUnit::Seconds { 1000.0 } else { 1.0 };
        let millis = number.map(|number| (number * factor).round());
        // 2^53 milliseconds is far beyond any time-out and still exact.
        let Some(millis) = millis.filter(|m| (1.0..=9_007_199_254_740_992.0).contains(m)) else {
            let message = "not a duration; the default is used".to_owned();
            return self.note(NoteKind::NotMapped, at, message);
        };
        for key in to {
            self.put(at, key, Json::from(millis as u64));
        }
        if unit == TimeUnit::Millis && to == [self.key_of(at)] {
            return;
        }
        let keys: Vec<String> = to.iter().map(|key| format!("`{key}`")).collect();
        let keys = keys.join(" and ");
        let message = match unit {
            TimeUnit::Seconds => format!("seconds became milliseconds in {keys}"),
            TimeUnit::Millis => format!("the milliseconds are {keys} here"),
        };
        self.note(NoteKind::Normalised, at, message);
    }
}
