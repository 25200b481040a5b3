#!/usr/bin/env bash
# Writes crates/cli/function_order.txt: in which order the functions of the published program lie (why is said in
# crates/cli/build.rs). To be run by hand where much of a call's way changed, and before a release; it needs
# valgrind and takes as long as two builds of the published program. What it writes belongs to one version of
# Rust and one Cargo.lock: names of functions that are not there any more are passed over.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v valgrind >/dev/null || {
    echo "function-order: valgrind is missing" >&2
    exit 1
}
TOOLGATE_KEEP_NAMES=1 cargo build --locked --profile dist --package toolgate
program="$(realpath "${CARGO_TARGET_DIR:-target}/dist/toolgate")"
load="$(cargo bench --locked --package toolgate-gateway --bench load --no-run --message-format=json |
    python3 -c '
import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable") and built["target"]["name"] == "load":
        print(built["executable"])
')"
python3 scripts/function_order.py crates/cli/function_order.txt "$program" "$load"
