# Sourced by scripts/conformance-client.sh, after peers.sh: runs scenarios of the official conformance
# suite, judges them, and compares with the failures that `$expected` names.
# shellcheck shell=bash
wrong=0
excused=0
# How many scenarios run at a time; each waits more than it computes.
at_once=3

conformance() {
    "$node" "$peers/conformance-$1/node_modules/.bin/conformance" "${@:2}"
}

# The words that $expected has for a run; fails if it has none.
excuse() {
    grep -v '^#' "$expected" | awk -v key="$*" '
        { if ($1 " " $2 " " $3 == key) { $1 = $2 = $3 = ""; print; found = 1 } }
        END { exit !found }'
}

# Where a run writes what it says: SUITE REVISION SCENARIO.
log_of() {
    echo "$results/$1-$2-${3//\//-}.txt"
}

# run SUITE REVISION SCENARIO ARGUMENTS…: runs a scenario, and keeps what came of it.
run() {
    local log outcome=passed
    log="$(log_of "$@")"
    conformance "$1" "${@:4}" --scenario "$3" >"$log" 2>&1 </dev/null || outcome=FAILED
    echo "$outcome" >"$log.outcome"
}

# judge SUITE REVISION SCENARIO: prints what came of a run.
judge() {
    local suite="$1" revision="$2" scenario="$3" outcome counted reason log
    log="$(log_of "$@")"
    outcome="$(cat "$log.outcome")"
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
    printf '%-15s %-11s %-42s %-6s %s\n' "$suite" "$revision" "$scenario" "$counted" "$outcome"
    echo "| \`$scenario\` | ${outcome/expected failure:/fails:} |" | tr -s ' ' >>"$results/page.md"
}

# suite VERSION REVISION: plays every scenario that `scenarios` lists, each with `play`.
suite() {
    local listed scenario
    from_npm "conformance-$1" "@modelcontextprotocol/conformance@$1"
    listed="$(scenarios "$1" "$2")" || fail "$1 lists no scenario for $2"
    [ -n "$listed" ] || fail "$1 lists no scenario for $2"
    for scenario in $listed; do
        [ "$(jobs -pr | wc -l)" -lt "$at_once" ] || wait -n
        play "$1" "$2" "$scenario" &
    done
    wait
    printf '\n## %s, %s\n\n| scenario | result |\n| --- | --- |\n' "$1" "$2" >>"$results/page.md"
    for scenario in $listed; do
        judge "$1" "$2" "$scenario"
    done
}

# A line about nothing that was run would stay there for ever; the page is what came of it.
conclude() {
    [ "$excused" = "$(grep -c '^[^#]' "$expected" || true)" ] || fail "$expected names something else"
    [ "$wrong" = 0 ] || fail "not as expected"
    if [ "${1:-}" = --write ]; then
        cp "$results/page.md" "$page"
    else
        diff -u "$page" "$results/page.md" || fail "$page is out of date: run this with --write"
    fi
    echo "$me: as expected"
}
