#!/usr/bin/env bash
# Runs the client scenarios of the official conformance suite that need no OAuth against our own
# client, in both released lines of the suite and both eras, and compares the failures with
# tests/conformance/expected-failures.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

expected=tests/conformance/expected-failures.txt
driver="$target/debug/examples/conformance_client"
results="$peers/conformance-results"
wrong=0
excused=0

# The words that expected-failures.txt has for a run; fails if it has none.
excuse() {
    grep -v '^#' "$expected" | awk -v key="$*" '
        { if ($1 " " $2 " " $3 == key) { $1 = $2 = $3 = ""; print; found = 1 } }
        END { exit !found }'
}

# Scenarios of a revision; those of extensions are not on its list, those with OAuth come later.
scenarios() {
    conformance "$1" list --client --spec-version "$2" | sed -n 's/^  - \([^ ]*\).*/\1/p' |
        grep -v '^auth/'
}

conformance() {
    "$node" "$peers/conformance-$1/node_modules/.bin/conformance" "${@:2}"
}

play() {
    local suite="$1" revision="$2" scenario="$3" outcome=passed counted reason
    local log="$results/$suite-$revision-$scenario.txt"
    conformance "$suite" client --command "$driver" --scenario "$scenario" \
        --spec-version "$revision" >"$log" 2>&1 || outcome=FAILED
    counted="$(sed -n 's/^Passed: \([0-9]*\/[0-9]*\).*/\1/p' "$log")"
    # A scenario that saw nothing says that all went well.
    case "$counted" in "" | 0/*) outcome=FAILED ;; esac
    if reason="$(excuse "$suite" "$revision" "$scenario")"; then
        excused=$((excused + 1))
        if [ "$outcome" = FAILED ]; then
            outcome="expected failure:$reason"
        else
            outcome="PASSED, but expected to fail: remove it from $expected"
            wrong=1
        fi
    elif [ "$outcome" = FAILED ]; then
        wrong=1
        tail -n 25 "$log" >&2
        outcome="FAILED, see $log"
    fi
    printf '%-15s %-11s %-38s %-6s %s\n' "$suite" "$revision" "$scenario" "$counted" "$outcome"
}

suite() {
    local listed scenario
    from_npm "conformance-$1" "@modelcontextprotocol/conformance@$1"
    listed="$(scenarios "$1" "$2")" || fail "$1 lists no scenario for $2"
    for scenario in $listed; do
        play "$1" "$2" "$scenario"
    done
}

pinned_node
cargo build --quiet --package toolgate-upstream --example conformance_client
rm -rf "$results"
mkdir -p "$results"
suite "$CONFORMANCE_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2026-07-28
# A line about nothing that was run would stay there for ever.
[ "$excused" = "$(grep -c '^[^#]' "$expected" || true)" ] || fail "$expected names something else"
[ "$wrong" = 0 ] || fail "not as expected"
echo "$me: as expected"
