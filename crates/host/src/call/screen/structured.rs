//! Structured content that is too long: cut within the schema that the caller was shown, so that
//! what the caller checks still holds; or, where none was shown, a reference in its place.
//!
//! Where the schema leaves no room for a cut, or nothing can be kept, the content stays whole.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_store::Artifact;

use super::items::{ItemMembers, ScreenedItem};
use super::keep_artifact::ArtifactKeeper;
use super::refer_media::RepeatedMedia;
use super::texts::{KeptText, kept_json, referring_items};
use crate::artifact::artifact_uri;
use crate::output_schema::{CutReference, OutputSchema};

/// Where in `_meta` a shortened result says what is kept of it.
const KEPT: &str = "toolgate/artifacts";

/// As long as the address of any artifact.
const ANY_ADDRESS: &str = "toolgate://artifact/00000000000000000000000000000000";

const WHAT: &str = "the structured content";

/// What becomes of structured content.
pub(super) enum FittedContent {
    AsItIs,
    /// Without data that is elsewhere in the result.
    Smaller(Box<RawValue>),
    /// It is only referred to, by this item.
    Elsewhere(ScreenedItem),
    /// It has less in it.
    Shortened(Box<ShortenedContent>),
}

/// Content that was cut.
pub(super) struct ShortenedContent {
    pub(super) content: Box<RawValue>,
    /// Where the whole is.
    pub(super) artifact: Artifact,
    /// Refers to it, unless another item does already.
    pub(super) reference: Option<ScreenedItem>,
}

/// The result around structured content.
pub(super) struct ContentSurroundings<'a> {
    pub(super) items: &'a [ScreenedItem],
    pub(super) repeats: &'a RepeatedMedia,
    pub(super) kept: Option<&'a KeptText>,
    pub(super) keeper: &'a ArtifactKeeper<'a>,
    pub(super) limit: usize,
}

impl ContentSurroundings<'_> {
    /// Where no schema was shown to the caller.
    pub(super) async fn fit(&self, structured: &RawValue) -> FittedContent {
        let smaller = self.repeats.taken_out(structured.get(), self.limit);
        let json = smaller.as_deref().unwrap_or(structured.get());
        if json.len() > self.limit {
            // The same as the text, which was kept.
            let is_text = |item: &ScreenedItem| item.text().is_some_and(|text| text.trim() == json);
            let reference = if self.items.iter().any(|item| is_text(item) && item.instead.is_some())
            {
                Some(Vec::new())
            } else {
                kept_json(json, WHAT, self.keeper).await
            };
            if let Some(reference) = reference {
                return FittedContent::Elsewhere(ScreenedItem::added(reference));
            }
        }
        let smaller = smaller.and_then(|json| RawValue::from_string(json).ok());
        smaller.map_or(FittedContent::AsItIs, FittedContent::Smaller)
    }

    /// Where the caller checks it against this schema; `None` if it is one that cannot be used here.
    pub(super) async fn fit_within(
        &self,
        schema: Option<&OutputSchema>,
        structured: &RawValue,
    ) -> FittedContent {
        let Some(schema) = schema else { return FittedContent::AsItIs };
        let smaller = self.repeats.taken_out(structured.get(), self.limit);
        let smaller = smaller
            .filter(|json| schema.is_kept(json))
            .and_then(|json| RawValue::from_string(json).ok());
        let content = smaller.as_deref().unwrap_or(structured);
        if content.get().len() > self.limit
            && let Some(shortened) = self.shortened(schema, content).await
        {
            return shortened;
        }
        smaller.map_or(FittedContent::AsItIs, FittedContent::Smaller)
    }

    async fn shortened(&self, schema: &OutputSchema, content: &RawValue) -> Option<FittedContent> {
        let address = self.kept.map(|kept| artifact_uri(&kept.artifact.id));
        let text = self.kept.zip(address.as_deref()).map(|(kept, uri)| (kept.text.as_str(), uri));
        let is_text = |(text, _): &(&str, &str)| text.trim() == content.get();
        let same = text.filter(is_text).map(|(_, uri)| uri);
        let reference = CutReference { content: same.unwrap_or(ANY_ADDRESS), text };
        let shortening = schema.shortening(content, self.limit, &reference)?;
        let (artifact, added) = match self.kept {
            Some(kept) if same.is_some() || !shortening.cuts_more_than_text(&reference) => {
                (kept.artifact.clone(), None)
            }
            _ => {
                let bytes = content.get().as_bytes().to_owned();
                let artifact = self.keeper.keep(bytes, "application/json").await?;
                let items = referring_items(&artifact, WHAT, self.keeper)?;
                (artifact, Some(ScreenedItem::added(items)))
            }
        };
        let uri = artifact_uri(&artifact.id);
        let shorter = shortening.written(&CutReference { content: &uri, text });
        let shorter =
            RawValue::from_string(shorter).ok().filter(|raw| schema.is_kept(raw.get()))?;
        let shortened = ShortenedContent { content: shorter, artifact, reference: added };
        Some(FittedContent::Shortened(Box::new(shortened)))
    }
}

/// Says in `_meta` of a result what is kept of it; what else is there stays.
pub(super) fn tell_kept(members: &mut ItemMembers, artifact: &Artifact) -> Option<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Kept<'a> {
        uri: &'a str,
        mime_type: &'a str,
        size: u64,
    }
    let known = members.get("_meta").map(|raw| serde_json::from_str(raw.get()));
    let mut meta: ItemMembers = known.unwrap_or_else(|| Ok(ItemMembers::new())).ok()?;
    let uri = artifact_uri(&artifact.id);
    let kept = Kept { uri: &uri, mime_type: &artifact.mime, size: artifact.size };
    meta.insert(KEPT.to_owned(), to_raw_value(&[kept]).ok()?);
    members.insert("_meta".to_owned(), to_raw_value(&meta).ok()?);
    Some(())
}
