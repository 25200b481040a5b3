//! Results that fit: a text that is too long becomes its beginning and a reference to the whole,
//! which is kept beside the database.
//!
//! Where nothing is kept, and where keeping fails, the result passes as it is: it was asked for.
//! Media stay typed content; who shows them knows how.

use std::sync::atomic::Ordering;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use toolgate_store::{Artifact, NewArtifact};
use toolgate_types::{CorrelationId, Done, Outcome};
use toolgate_upstream::Upstream;

use super::Options;
use crate::Host;
use crate::artifact::{artifact_uri, now};

/// What is shown of a text that is kept elsewhere: this part of what would have been allowed.
const PREVIEW: usize = 4;

#[derive(Deserialize)]
struct Item<'a> {
    r#type: Option<&'a str>,
    text: Option<String>,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Link<'a> {
    r#type: &'a str,
    uri: &'a str,
    name: &'a str,
    mime_type: &'a str,
    size: u64,
}

impl Host {
    /// Cuts what is too long for the caller, and keeps the whole.
    pub(super) async fn screen(
        &self,
        outcome: Outcome,
        upstream: &Upstream,
        tool: &str,
        options: &ScreenFor,
    ) -> Outcome {
        let settings = upstream.entry().value.tool_settings.get(tool);
        let own = settings.and_then(|tool| tool.result_bytes);
        let limit = own.unwrap_or(self.inner.limits.result_bytes);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        match outcome {
            Outcome::Done(done) if done.result.get().len() > limit => {
                let server = upstream.id().as_str();
                let screened = self.cut(&done, limit, server, tool, options).await;
                Outcome::Done(screened.map_or(done, |done| done))
            }
            outcome => outcome,
        }
    }

    async fn cut(
        &self,
        done: &Done,
        limit: usize,
        server: &str,
        tool: &str,
        caller: &ScreenFor,
    ) -> Option<Done> {
        let mut members: IndexMap<String, Box<RawValue>> =
            serde_json::from_str(done.result.get()).ok()?;
        let items: Vec<Box<RawValue>> = serde_json::from_str(members.get("content")?.get()).ok()?;
        let (mut texts, mut others) = (Vec::new(), Vec::new());
        for item in items {
            match serde_json::from_str::<Item<'_>>(item.get()) {
                Ok(Item { r#type: Some("text"), text: Some(text) }) => texts.push(text),
                _ => others.push(item),
            }
        }
        let whole = texts.join("\n");
        if whole.len() <= limit {
            return None;
        }
        let artifact = self.keep(whole.as_bytes(), server, tool, caller).await?;
        let uri = artifact_uri(&artifact.id);
        let shown = beginning(&whole, limit / PREVIEW);
        let lines = whole.lines().count();
        let size = artifact.size;
        let preview = format!(
            "{shown}\n[cut here: {size} bytes, {lines} lines in all; read the rest at {uri}, or \
             some lines of it at {uri}?lines=1-200]"
        );
        let text = Text { r#type: "text", text: &preview };
        let (name, mime_type) = ("the whole result", "text/plain");
        let link = Link { r#type: "resource_link", uri: &uri, name, mime_type, size };
        let mut content = vec![to_raw_value(&text).ok()?, to_raw_value(&link).ok()?];
        content.extend(others);
        members.insert("content".to_owned(), to_raw_value(&content).ok()?);
        // The same once more, only structured: it is in what was kept.
        if members.get("structuredContent").is_some_and(|raw| raw.get().len() > limit) {
            members.shift_remove("structuredContent");
        }
        Some(Done { is_error: done.is_error, result: to_raw_value(&members).ok()? })
    }

    async fn keep(
        &self,
        bytes: &[u8],
        server: &str,
        tool: &str,
        caller: &ScreenFor,
    ) -> Option<Artifact> {
        let kept = self.inner.artifacts.as_ref()?;
        let artifact = NewArtifact {
            principal: caller.principal.clone(),
            mime: "text/plain".to_owned(),
            bytes: bytes.to_owned(),
            created_at: now(),
            server: Some(server.to_owned()),
            tool: Some(tool.to_owned()),
            correlation: caller.correlation.to_string(),
        };
        let artifact = kept.keep_artifact(artifact).await.ok();
        if !self.inner.is_pruned.swap(true, Ordering::Relaxed) {
            let limits = &self.inner.limits;
            let kept_for = u64::from(limits.artifact_days) * 24 * 60 * 60 * 1000;
            let _ =
                kept.prune_artifacts(now().saturating_sub(kept_for), limits.artifact_bytes).await;
        }
        artifact
    }
}

/// For whom a result is screened.
pub(super) struct ScreenFor {
    principal: String,
    correlation: CorrelationId,
}

impl ScreenFor {
    pub(super) fn new(host: &Host, options: &Options, correlation: CorrelationId) -> Self {
        Self { principal: host.principal(options).as_str().to_owned(), correlation }
    }
}

/// The first so many bytes, ending with a whole character.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
