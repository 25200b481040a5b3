# Sourced by the two scripts that run the official conformance suite, after peers.sh: runs one
# scenario, judges it, and compares with the failures that `$expected` names.
# shellcheck shell=bash
wrong=0
excused=0

conformance() {
    "$node" "$peers/conformance-$1/node_modules/.bin/conformance" "${@:2}"
}

# The words that $expected has for a run; fails if it has none.
excuse() {
    grep -v '^#' "$expected" | awk -v key="$*" '
        { if ($1 " " $2 " " $3 == key) { $1 = $2 = $3 = ""; print; found = 1 } }
        END { exit !found }'
}

# judged SUITE REVISION SCENARIO COMMAND…: runs a scenario and prints what came of it.
judged() {
    local suite="$1" revision="$2" scenario="$3" outcome=passed counted reason
    local log="$results/$suite-$revision-$scenario.txt"
    conformance "$suite" "${@:4}" --scenario "$scenario" >"$log" 2>&1 || outcome=FAILED
    counted="$(sed -n 's/^Passed: \([0-9]*\/[0-9]*\).*/\1/p' "$log" | head -n 1)"
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

# suite VERSION REVISION: plays every scenario that `scenarios` lists, each with `play`.
suite() {
    local listed scenario
    from_npm "conformance-$1" "@modelcontextprotocol/conformance@$1"
    listed="$(scenarios "$1" "$2")" || fail "$1 lists no scenario for $2"
    [ -n "$listed" ] || fail "$1 lists no scenario for $2"
    for scenario in $listed; do
        play "$1" "$2" "$scenario"
    done
}

# A line about nothing that was run would stay there for ever.
conclude() {
    [ "$excused" = "$(grep -c '^[^#]' "$expected" || true)" ] || fail "$expected names something else"
    [ "$wrong" = 0 ] || fail "not as expected"
    echo "$me: as expected"
}
