//! What a result becomes where it does not fit as it is: its media, its texts and its structured
//! content, each as its own file says.

use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{OperationOutcome, OperationResult};

use super::ResultRoom;
use super::items::{ItemMembers, ResultShape, ScreenedItem};
use super::keep_artifact::ArtifactKeeper;
use super::refer_media::{self, RepeatedMedia};
use super::structured::{self, ContentSurroundings, FittedContent, ShortenedContent};
use super::texts;
use crate::output_schema::OutputSchema;

/// A result that fits who reads it.
pub(super) async fn fitted(
    outcome: OperationOutcome,
    keeper: &ArtifactKeeper<'_>,
    shape: ResultShape,
    room: ResultRoom<'_>,
) -> OperationOutcome {
    let OperationOutcome::Done(OperationResult { is_error, result }) = outcome else {
        return outcome;
    };
    let may_pass = keeper.caller.reader.takes_media && result.get().len() <= room.limit;
    // Nobody holds a failure to a schema.
    let room = ResultRoom { shown: room.shown.filter(|_| !is_error), ..room };
    let fitting = if may_pass { None } else { Box::pin(fit(&result, keeper, shape, room)).await };
    OperationOutcome::Done(OperationResult { is_error, result: fitting.unwrap_or(result) })
}

/// The result as it fits, or nothing if it may pass as it is.
async fn fit(
    result: &RawValue,
    keeper: &ArtifactKeeper<'_>,
    shape: ResultShape,
    room: ResultRoom<'_>,
) -> Option<Box<RawValue>> {
    let limit = room.limit;
    let mut members: ItemMembers = serde_json::from_str(result.get()).ok()?;
    let mut items = members.get(shape.list()).map(|list| shape.items(list)).unwrap_or_default();
    let mut repeats = RepeatedMedia::default();
    refer_media::refer(&mut items, &mut repeats, keeper, shape).await;
    let kept = texts::cut(&mut items, &repeats, keeper, (shape, limit)).await;
    let mut is_changed = items.iter().any(|item| item.instead.is_some());
    if let Some(structured) = members.get("structuredContent")
        && shape == ResultShape::ToolResult
    {
        let kept = kept.as_ref();
        let around = ContentSurroundings { items: &items, repeats: &repeats, kept, keeper, limit };
        let fitted = match room.promised() {
            None => around.fit(structured).await,
            Some(schema) => {
                let schema = OutputSchema::new(schema, keeper.host.schema_bytes());
                around.fit_within(schema.as_ref(), structured).await
            }
        };
        is_changed |= !matches!(fitted, FittedContent::AsItIs);
        match fitted {
            FittedContent::AsItIs => {}
            FittedContent::Smaller(content) => {
                members.insert("structuredContent".to_owned(), content);
            }
            FittedContent::Elsewhere(reference) => {
                items.push(reference);
                members.shift_remove("structuredContent");
            }
            FittedContent::Shortened(shortened) => {
                let ShortenedContent { content, artifact, reference } = *shortened;
                items.extend(reference);
                members.insert("structuredContent".to_owned(), content);
                structured::tell_kept(&mut members, &artifact);
            }
        }
    }
    if !is_changed {
        return None;
    }
    let content: Vec<_> = items.into_iter().flat_map(ScreenedItem::shown).collect();
    members.insert(shape.list().to_owned(), to_raw_value(&content).ok()?);
    to_raw_value(&members).ok()
}
