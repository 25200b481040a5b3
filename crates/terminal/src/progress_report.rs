//! What a server tells while something is under way: how far it is, and what it has to say. Read as it
//! came, worded for a person; what is secret in it is masked by whoever knows that.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use toolgate_types::visible;

/// What is told only so that somebody hears something is less.
const SIGN_OF_LIFE: f64 = 1e-3;

/// How far a server is.
#[derive(Debug, Deserialize)]
pub struct ProgressReport {
    progress: Option<Number>,
    total: Option<Number>,
    message: Option<String>,
}

/// What a server has to say.
#[derive(Debug, Deserialize)]
pub struct ServerLogLine {
    level: Option<String>,
    data: Option<Value>,
}

impl ProgressReport {
    /// Nothing where it makes no sense.
    pub fn read(report: &RawValue) -> Option<Self> {
        serde_json::from_str(report.get()).ok()
    }

    /// `3/10 message`, as far as it was told.
    pub fn text(&self, mask: impl Fn(&str) -> String) -> String {
        let done = match (&self.progress, &self.total) {
            (Some(progress), Some(total)) => Some(format!("{progress}/{total}")),
            (Some(progress), None) if is_a_count(progress) => Some(progress.to_string()),
            (Some(_) | None, None) | (None, Some(_)) => None,
        };
        let words = self.message.as_deref().map(|text| visible(&mask(text)));
        done.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// How much of the whole is done, where the whole is known.
    pub fn share(&self) -> Option<f64> {
        let (done, total) = (self.progress.as_ref()?.as_f64()?, self.total.as_ref()?.as_f64()?);
        (total > 0.0).then(|| (done / total).clamp(0.0, 1.0))
    }
}

impl ServerLogLine {
    /// Nothing where it makes no sense.
    pub fn read(message: &RawValue) -> Option<Self> {
        serde_json::from_str(message.get()).ok()
    }

    /// `level: words`, or the JSON that stands in their place.
    pub fn text(
        &self,
        mask_text: impl Fn(&str) -> String,
        mask_json: impl Fn(&str) -> String,
    ) -> String {
        let words = match &self.data {
            Some(Value::String(text)) => mask_text(text),
            Some(other) => mask_json(&other.to_string()),
            None => mask_json(&Value::Null.to_string()),
        };
        let level = mask_text(self.level.as_deref().unwrap_or_default());
        format!("{}: {}", visible(&level), visible(&words))
    }
}

/// Whether it is more than a sign of life, which has to rise and means nothing.
fn is_a_count(progress: &Number) -> bool {
    progress.as_f64().is_none_or(|progress| progress == 0.0 || progress.abs() >= SIGN_OF_LIFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn masked(text: &str) -> String {
        text.replace("s3cret", "***")
    }

    #[test]
    fn a_report_says_how_far_it_is_and_what_was_said() {
        for (report, text, share) in [
            (
                r#"{"progress": 3, "total": 10, "message": "with s3cret"}"#,
                "3/10 with ***",
                Some(0.3),
            ),
            (r#"{"progress": 7}"#, "7", None),
            (r#"{"progress": 0.0001}"#, "", None),
            (r#"{"progress": 20, "total": 10}"#, "20/10", Some(1.0)),
            (r#"{"progress": 1, "total": 0, "message": "a\nb"}"#, "1/0 a\\nb", None),
            (r#"{"total": 10}"#, "", None),
        ] {
            let report = ProgressReport::read(&raw(report)).unwrap();
            assert_eq!((report.text(masked).as_str(), report.share()), (text, share));
        }
        assert!(ProgressReport::read(&raw(r#"{"progress": "far"}"#)).is_none());
    }

    #[test]
    fn a_log_line_has_its_level_and_its_words_or_its_json() {
        let json = |json: &str| json.replace("s3cret", "(a secret)");
        for (message, text) in [
            (r#"{"level": "info", "data": "uses s3cret\u001b[2J"}"#, "info: uses ***\\u{1b}[2J"),
            (r#"{"level": "error", "data": {"key": "s3cret"}}"#, r#"error: {"key":"(a secret)"}"#),
            ("{}", ": null"),
        ] {
            assert_eq!(ServerLogLine::read(&raw(message)).unwrap().text(masked, json), text);
        }
    }
}
