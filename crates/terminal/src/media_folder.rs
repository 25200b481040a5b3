//! Images, sound and other data of servers, put into files: a terminal shows none of it.
//!
//! A file is new, for its owner alone, and never one that somebody else has put there.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Servers are careless about the padding at the end, and nothing hangs on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Why data is not in a file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UnusableMedia(String);

/// Where the data of one call goes.
#[derive(Debug)]
pub struct MediaFolder<'a> {
    path: PathBuf,
    call: &'a str,
    count: usize,
}

impl<'a> MediaFolder<'a> {
    /// The folder that the person named, or the system's one for temporary files. A call is known
    /// by the reference of its record.
    pub fn new(named: Option<&Path>, call: &'a str) -> Self {
        let path = named.map_or_else(std::env::temp_dir, Path::to_owned);
        Self { path, call, count: 0 }
    }

    /// Writes one piece of data, and gives its length and its file.
    pub fn put(&mut self, mime: &str, data: &str) -> Result<(usize, PathBuf), UnusableMedia> {
        let bytes = BASE64
            .decode(data.split_ascii_whitespace().collect::<String>())
            .map_err(|error| UnusableMedia(format!("what a server sent is not base64: {error}")))?;
        loop {
            self.count += 1;
            let name = format!("toolgate-{}-{}.{}", self.call, self.count, ending(mime));
            let path = self.path.join(name);
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
            match file.and_then(|mut file| file.write_all(&bytes)) {
                Ok(()) => return Ok((bytes.len(), path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let path = path.display();
                    return Err(UnusableMedia(format!("cannot write {path}: {error}")));
                }
            }
        }
    }
}

/// How a file of this kind is called. Nothing of a server's own words gets into a name.
fn ending(mime: &str) -> &'static str {
    let kind = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "image/png" => "png",
        "image/jpeg" | "image/jpg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "image/bmp" => "bmp",
        "image/tiff" => "tiff",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "audio/mp4" => "m4a",
        "video/mp4" => "mp4",
        "audio/webm" | "video/webm" => "webm",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        "application/gzip" => "gz",
        "text/plain" => "txt",
        "text/html" => "html",
        "text/csv" => "csv",
        "text/markdown" => "md",
        _ => "bin",
    }
}
