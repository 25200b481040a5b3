//! A result that was too long to hold: the whole of it is kept, and what the caller gets are the
//! beginnings of its texts, each with a mark that says where the rest is.
//!
//! What cannot be told so, because the caller holds structured content to a schema that leaves no
//! room for it, or because very many short strings are left, is a failure that has the reference.

use serde_json::value::{RawValue, to_raw_value};
use toolgate_store::Artifact;
use toolgate_types::{CutString, OperationOutcome, OperationResult};
use toolgate_upstream::{RequestError, SpilledAnswer};

use super::ResultRoom;
use super::items::{ItemKind, ItemMembers, ResultShape, ScreenedItem, text_contents, text_item};
use super::keep_artifact::ArtifactKeeper;
use super::structured::tell_kept;
use super::texts::referring_items;
use crate::artifact::artifact_uri;
use crate::call::call_trouble::CallTrouble;
use crate::output_schema::OutputSchema;

const WHAT: &str = "the whole result";

/// What is held of a result, and where all of it is now.
struct KeptResult<'a> {
    artifact: Artifact,
    spilled: &'a SpilledAnswer,
}

/// The result as it can be held, with references to where it is kept.
pub(super) async fn held(
    OperationResult { is_error, result }: OperationResult,
    spilled: &SpilledAnswer,
    keeper: &ArtifactKeeper<'_>,
    (shape, room): (ResultShape, ResultRoom<'_>),
) -> Result<(OperationOutcome, Artifact), CallTrouble> {
    let kept = keeper.keep_spilled(spilled).await;
    let artifact = kept.map_err(|error| keeper.too_large(RequestError::unkept(&error)))?;
    let kept = KeptResult { artifact, spilled };
    let promised = room.promised().filter(|_| !is_error);
    let told = spilled.is_abridged().then(|| kept.told(&result, shape, promised, keeper)).flatten();
    let told = match told {
        Some(result) => Some(OperationResult { is_error, result }),
        None => kept.told_only(shape, is_error || promised.is_some(), keeper),
    };
    let told = told.ok_or(CallTrouble::Unreadable)?;
    Ok((OperationOutcome::Done(told), kept.artifact))
}

impl KeptResult<'_> {
    fn told(
        &self,
        result: &RawValue,
        shape: ResultShape,
        promised: Option<&RawValue>,
        keeper: &ArtifactKeeper<'_>,
    ) -> Option<Box<RawValue>> {
        let mut members: ItemMembers = serde_json::from_str(result.get()).ok()?;
        if let Some(content) = members.get("structuredContent").filter(|raw| self.is_cut(raw))
            && shape == ResultShape::ToolResult
        {
            let schema = promised.map(|raw| OutputSchema::new(raw, keeper.host.schema_bytes()));
            let marked = self.marked(content)?;
            let fits = match schema {
                None => true,
                Some(schema) => schema.is_some_and(|schema| {
                    schema.may_be_cut(content, self.spilled.mark()) && schema.is_kept(marked.get())
                }),
            };
            if !fits {
                return None;
            }
            members.insert("structuredContent".to_owned(), marked);
        }
        let items = members.get(shape.list()).map(|list| shape.items(list)).unwrap_or_default();
        let mut shown: Vec<Box<RawValue>> = Vec::with_capacity(items.len() + 2);
        for item in items {
            shown.push(self.item(item, shape)?);
        }
        if shape == ResultShape::ToolResult {
            shown.extend(referring_items(&self.artifact, WHAT, keeper)?);
            tell_kept(&mut members, &self.artifact)?;
        }
        members.insert(shape.list().to_owned(), to_raw_value(&shown).ok()?);
        let told = to_raw_value(&members).ok()?;
        // Whatever else there was, in whatever member: nobody is shown a mark that means nothing.
        if self.is_cut(&told) { self.marked(&told) } else { Some(told) }
    }

    /// A text has its mark; of anything else a part would be of no use.
    fn item(&self, item: ScreenedItem, shape: ResultShape) -> Option<Box<RawValue>> {
        if !self.is_cut(item.raw()) {
            return Some(item.into_raw());
        }
        if matches!(item.kind, ItemKind::Text { .. }) {
            return self.marked(item.raw());
        }
        let uri = artifact_uri(&self.artifact.id);
        let what = item.mime().unwrap_or("a part of the result");
        let words = format!("[{what}, too large to pass on; {WHAT} is kept at {uri}]");
        match shape {
            ResultShape::ToolResult => text_item(&words, None),
            ResultShape::Resource => text_contents(&words, &uri),
        }
    }

    /// Only the reference.
    fn told_only(
        &self,
        shape: ResultShape,
        is_error: bool,
        keeper: &ArtifactKeeper<'_>,
    ) -> Option<OperationResult> {
        let items = match shape {
            ResultShape::ToolResult => referring_items(&self.artifact, WHAT, keeper)?,
            ResultShape::Resource => {
                let (uri, size) = (artifact_uri(&self.artifact.id), self.artifact.size);
                let words = format!("[{WHAT}, {size} bytes of JSON, is kept at {uri}]");
                vec![text_contents(&words, &uri)?]
            }
        };
        let mut members = ItemMembers::new();
        members.insert(shape.list().to_owned(), to_raw_value(&items).ok()?);
        if is_error {
            members.insert("isError".to_owned(), to_raw_value(&true).ok()?);
        }
        if shape == ResultShape::ToolResult {
            tell_kept(&mut members, &self.artifact)?;
        }
        Some(OperationResult { is_error, result: to_raw_value(&members).ok()? })
    }

    fn is_cut(&self, raw: &RawValue) -> bool {
        self.spilled.mark().is_in(raw.get())
    }

    /// With words in place of each mark. They need no escape.
    fn marked(&self, raw: &RawValue) -> Option<Box<RawValue>> {
        let uri = artifact_uri(&self.artifact.id);
        let (mut out, mut rest) = (String::new(), raw.get());
        while let Some((before, CutString { length, .. }, after)) = self.spilled.mark().split(rest)
        {
            out.push_str(before);
            out.push_str(&format!(r"\n[cut here: {length} bytes in all; {WHAT} is kept at {uri}]"));
            rest = after;
        }
        out.push_str(rest);
        RawValue::from_string(out).ok()
    }
}
