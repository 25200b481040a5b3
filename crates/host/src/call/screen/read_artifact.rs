//! What the screen kept, read again as a resource: whole, some lines or some bytes of it.
//!
//! It has a record like every other reading. No rule is asked: the one it was kept for was given the
//! address, and to anybody else it does not exist.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::to_raw_value;
use toolgate_store::{
    Artifact, ArtifactPage, ArtifactRange, ArtifactReader, ArtifactStore, MOST_OF_ARTIFACT as MOST,
    StoreError, is_text,
};
use toolgate_types::{CallError, OperationOutcome, OperationResult};

use crate::artifact::{ArtifactAddress, is_artifact};
use crate::call::call_trouble::CallTrouble;
use crate::call::{CallOptions, bounded, close};
use crate::{Host, ResultReader};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShortenedContents<'a> {
    uri: &'a str,
    mime_type: &'a str,
    #[serde(flatten)]
    value: ContentValue<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ContentValue<'a> {
    Text(&'a str),
    Blob(&'a str),
}

impl Host {
    /// Whether an address is one of the host itself, and no server's.
    pub fn is_own_resource(&self, uri: &str) -> bool {
        is_artifact(uri)
    }

    /// Reads what the host itself has at an address: a result that was kept, as
    /// `toolgate://artifact/<id>`, with `?lines=1-200` or `?bytes=0-65535` some of it. A text
    /// comes up to the reader's limit, and nothing beyond 256 KiB at once; a second item of the
    /// contents then says where to read on.
    pub async fn read_own_resource(
        &self,
        uri: &str,
        options: CallOptions,
    ) -> Result<OperationOutcome, CallError> {
        let mut record = self.inner.journal.open("read", uri, options.caller.clone());
        record.within(options.trace());
        let work = async {
            let unknown = || CallTrouble::NotFound(uri.to_owned());
            let address = ArtifactAddress::parse(uri)?;
            let kept = self.inner.artifacts.as_deref().ok_or_else(unknown)?;
            let owner = self.kept_for(&self.principal(&options));
            let found = kept.artifact(&address.id, &owner).await;
            let artifact = found.map_err(|_| CallTrouble::Unreadable)?.ok_or_else(unknown)?;
            record.decided("allow", "it was kept for this principal, here".into());
            record.begin(self.records_always()).await?;
            let most = self.text_limit(None, options.reader);
            read(kept, &artifact, &address, options.reader, most).await
        };
        let ended = bounded(&options.cancel, options.deadline, Box::pin(work).as_mut()).await;
        close(record, ended).await
    }
}

async fn read(
    kept: &dyn ArtifactStore,
    artifact: &Artifact,
    address: &ArtifactAddress,
    reader: ResultReader,
    limit: usize,
) -> Result<OperationOutcome, CallTrouble> {
    let (uri, mime) = (address.to_string(), artifact.mime.as_str());
    let is_text = is_text(mime);
    let most = match address.range {
        ArtifactRange::Whole if !is_text && !reader.takes_media => {
            return answer(&[ShortenedContents {
                uri: &uri,
                mime_type: "text/plain",
                value: ContentValue::Text(&described(artifact, &uri)),
            }]);
        }
        ArtifactRange::Lines(..) if !is_text => {
            let why = format!("{mime} has no lines; a part of it is `?bytes=0-65535`");
            return Err(CallTrouble::Arguments(why));
        }
        // What was kept because it is too long does not come back too long.
        _ if is_text => u64::try_from(limit).unwrap_or(MOST),
        _ => MOST,
    };
    let book = ArtifactReader { kept, artifact, is_text };
    let mut page = book.page(address.range, most).await.map_err(unreadable)?;
    let is_text = is_text && std::str::from_utf8(&page.bytes).is_ok();
    if !is_text && book.is_text {
        // It only says that it is text, so it was not for us to look for characters.
        let page_of_bytes = ArtifactReader { is_text, ..book };
        page = page_of_bytes.page(address.range, most).await.map_err(unreadable)?;
    }
    let ArtifactPage { bytes, next } = page;
    let blob: String;
    let value = match std::str::from_utf8(&bytes) {
        Ok(text) if is_text => ContentValue::Text(text),
        _ => {
            blob = STANDARD.encode(&bytes);
            ContentValue::Blob(&blob)
        }
    };
    let page = ShortenedContents { uri: &uri, mime_type: mime, value };
    let Some(range) = next else { return answer(&[page]) };
    let next = ArtifactAddress { id: address.id.clone(), range }.to_string();
    let size = artifact.size;
    let words = format!("[there is more: {size} bytes in all; read on at {next}]");
    let more = ShortenedContents {
        uri: &next,
        mime_type: "text/plain",
        value: ContentValue::Text(&words),
    };
    answer(&[page, more])
}

/// It was there a moment ago.
fn unreadable(_: StoreError) -> CallTrouble {
    CallTrouble::Unreadable
}

fn described(artifact: &Artifact, uri: &str) -> String {
    let Artifact { mime, size, sha256, .. } = artifact;
    let hash = sha256.to_hex();
    format!("[{mime}, {size} bytes, SHA-256 {hash}; its bytes are at {uri}?bytes=0-{}]", MOST - 1)
}

fn answer(contents: &[ShortenedContents<'_>]) -> Result<OperationOutcome, CallTrouble> {
    #[derive(Serialize)]
    struct Answer<'a> {
        contents: &'a [ShortenedContents<'a>],
    }
    let result = to_raw_value(&Answer { contents }).map_err(|_| CallTrouble::Unreadable)?;
    Ok(OperationOutcome::Done(OperationResult { is_error: false, result }))
}
