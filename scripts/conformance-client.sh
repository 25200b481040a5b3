#!/usr/bin/env bash
# Runs the client scenarios of the official conformance suite that need no OAuth against our own
# client, in both released lines of the suite and both eras, and compares the failures with
# tests/conformance/expected-failures.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh
# shellcheck source=scripts/conformance.sh
. scripts/conformance.sh

expected=tests/conformance/expected-failures.txt
driver="$target/debug/examples/conformance_client"
results="$peers/conformance-results"
# Scenarios of a revision; those of extensions are not on its list, those with OAuth come later.
scenarios() {
    conformance "$1" list --client --spec-version "$2" | sed -n 's/^  - \([^ ]*\).*/\1/p' |
        grep -v '^auth/'
}

play() {
    judged "$1" "$2" "$3" client --command "$driver" --spec-version "$2"
}

pinned_node
cargo build --quiet --package toolgate-upstream --example conformance_client
rm -rf "$results"
mkdir -p "$results"
suite "$CONFORMANCE_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2026-07-28
conclude
