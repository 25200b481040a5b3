//! What the fuzz targets found worth keeping, replayed.

use std::path::PathBuf;

use crate::fuzzed;

type Target = (&'static str, fn(&[u8]));

/// The name of each target of the wire under `fuzz/` and what it feeds.
const TARGETS: [Target; 4] = [
    ("line_framer", fuzzed::line_framer),
    ("sse_decoder", fuzzed::sse_decoder),
    ("envelope", fuzzed::envelope),
    ("headers", fuzzed::headers),
];

#[test]
fn every_kept_input_holds() {
    let fuzz = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (target, feed) in TARGETS {
        assert!(fuzz.join("fuzz_targets").join(target).with_extension("rs").exists(), "{target}");
        let mut replayed = 0;
        for file in std::fs::read_dir(fuzz.join("corpus").join(target)).unwrap() {
            feed(&std::fs::read(file.unwrap().path()).unwrap());
            replayed += 1;
        }
        assert!(replayed >= 10, "{target}: only {replayed} inputs");
    }
}
