#!/usr/bin/env bash
# Writes crates/cli/calls.profdata, by which `cargo xtask dist` builds the published program: a build of it that
# counts which way it takes serves calls in both eras, over HTTP and stdio, and then starts, lists and is spoken to
# through windows as in a tenth of the benchmark. To be run by hand where much of a call's way changed, and before a
# release. It takes as long as a build of the published program and needs llvm-profdata of rustc's own LLVM, as in
# rustup's component llvm-tools or in apt's llvm-22.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A start does much in loops, and happens once: calls are what the program is built for. Functions in which nothing
# happens a few hundred times are left out, so that they stay as small as they are.
calls_weight=50
least=25000

host="$(rustc -vV | sed -n 's/^host: //p')"
llvm="$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')"
for place in "$(rustc --print sysroot)/lib/rustlib/$host/bin" "/usr/lib/llvm-$llvm/bin"; do
    [ -x "$place/llvm-profdata" ] && profdata="$place/llvm-profdata"
done
[ -n "${profdata:-}" ] || {
    echo "calls-profile: llvm-profdata $llvm is missing: rustup component add llvm-tools" >&2
    exit 1
}

counted="$(mktemp -d)"
trap 'rm -rf "$counted"' EXIT
program="$(cargo xtask dist --counting "$counted/raw")"
load="$(cargo bench --locked --workspace --bench load --no-run --message-format=json |
    python3 -c '
import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable") and built["target"]["name"] == "load":
        print(built["executable"])
')"
"$load" calls --tenth --gate "$program"
mv "$counted/raw" "$counted/calls"
"$load" bench --tenth --gate "$program"
"$profdata" merge --text --output "$counted/all" \
    --weighted-input="$calls_weight,$counted/calls" --weighted-input="1,$counted/raw"
python3 scripts/often_called.py "$least" <"$counted/all" >"$counted/often"
"$profdata" merge --sparse --output crates/cli/calls.profdata "$counted/often"
ls -l crates/cli/calls.profdata
