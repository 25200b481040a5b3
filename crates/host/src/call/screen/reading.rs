//! What the screen kept, read again as a resource: whole, some lines or some bytes of it.
//!
//! It has a record like every other reading. No rule is asked: the one it was kept for was given the
//! address, and to anybody else it does not exist.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::value::to_raw_value;
use toolgate_store::{Artifact, Artifacts};
use toolgate_types::{CallError, Done, Outcome};

use crate::artifact::page::{Book, MOST, Page};
use crate::artifact::{Address, Range, is_artifact, is_text};
use crate::call::failing::Trouble;
use crate::call::{Options, bounded, close};
use crate::{Host, Reader};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    uri: &'a str,
    mime_type: &'a str,
    #[serde(flatten)]
    value: Value<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Value<'a> {
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
        options: Options,
    ) -> Result<Outcome, CallError> {
        let mut record = self.inner.journal.open("read", uri, options.caller.clone());
        record.within(options.trace());
        let work = async {
            let unknown = || Trouble::NotFound(uri.to_owned());
            let address = Address::parse(uri)?;
            let kept = self.inner.artifacts.as_deref().ok_or_else(unknown)?;
            let principal = self.principal(&options);
            let found = kept.artifact(&address.id, principal.as_str()).await;
            let artifact = found.map_err(|_| Trouble::Unreadable)?.ok_or_else(unknown)?;
            record.decided("allow", "it was kept for this principal".to_owned());
            record.begin(self.records_always()).await?;
            let most = self.text_limit(None, options.reader);
            read(kept, &artifact, &address, options.reader, most).await
        };
        let ended = bounded(&options.cancel, options.deadline, Box::pin(work).as_mut()).await;
        close(record, ended).await
    }
}

async fn read(
    kept: &dyn Artifacts,
    artifact: &Artifact,
    address: &Address,
    reader: Reader,
    limit: usize,
) -> Result<Outcome, Trouble> {
    let (uri, mime) = (address.to_string(), artifact.mime.as_str());
    let is_text = is_text(mime);
    let most = match address.range {
        Range::Whole if !is_text && !reader.takes_media => {
            return answer(&[Contents {
                uri: &uri,
                mime_type: "text/plain",
                value: Value::Text(&described(artifact, &uri)),
            }]);
        }
        Range::Lines(..) if !is_text => {
            let why = format!("{mime} has no lines; a part of it is `?bytes=0-65535`");
            return Err(Trouble::Arguments(why));
        }
        // What was kept because it is too long does not come back too long.
        _ if is_text => u64::try_from(limit).unwrap_or(MOST),
        _ => MOST,
    };
    let book = Book { kept, artifact, is_text };
    let mut page = book.page(address.range, most).await?;
    let is_text = is_text && std::str::from_utf8(&page.bytes).is_ok();
    if !is_text && book.is_text {
        // It only says that it is text, so it was not for us to look for characters.
        page = Book { is_text, ..book }.page(address.range, most).await?;
    }
    let Page { bytes, next } = page;
    let blob: String;
    let value = match std::str::from_utf8(&bytes) {
        Ok(text) if is_text => Value::Text(text),
        _ => {
            blob = STANDARD.encode(&bytes);
            Value::Blob(&blob)
        }
    };
    let page = Contents { uri: &uri, mime_type: mime, value };
    let Some(range) = next else { return answer(&[page]) };
    let next = Address { id: address.id.clone(), range }.to_string();
    let size = artifact.size;
    let words = format!("[there is more: {size} bytes in all; read on at {next}]");
    let more = Contents { uri: &next, mime_type: "text/plain", value: Value::Text(&words) };
    answer(&[page, more])
}

fn described(artifact: &Artifact, uri: &str) -> String {
    let Artifact { mime, size, sha256, .. } = artifact;
    let hash = sha256.to_hex();
    format!("[{mime}, {size} bytes, SHA-256 {hash}; its bytes are at {uri}?bytes=0-{}]", MOST - 1)
}

fn answer(contents: &[Contents<'_>]) -> Result<Outcome, Trouble> {
    #[derive(Serialize)]
    struct Answer<'a> {
        contents: &'a [Contents<'a>],
    }
    let result = to_raw_value(&Answer { contents }).map_err(|_| Trouble::Unreadable)?;
    Ok(Outcome::Done(Done { is_error: false, result }))
}
