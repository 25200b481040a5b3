#!/usr/bin/env bash
# Runs the server scenarios of the official conformance suite against the gate, in front of a server
# of the same era, in both released lines of the suite, and compares the failures with
# tests/conformance/expected-server-failures.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh
# shellcheck source=scripts/conformance.sh
. scripts/conformance.sh

expected=tests/conformance/expected-server-failures.txt
results="$peers/conformance-server-results"
gate=""

# A gate of our own, in front of one server of this era, with the names that the suite knows.
serve() {
    local home="$results/home-$1"
    mkdir -p "$home/.config/toolgate" "$home/work"
    cat >"$home/.config/toolgate/config.toml" <<TOML
version = 1
[gateway]
auth = "none"
naming = "bare"
[servers.everything]
transport = "stdio"
command = "$everything"
args = ["$1"]
approval = "approve"
sampling = true
TOML
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" "$toolgate" serve \
        --listen 127.0.0.1:0 --json) >"$home/said.json" 2>"$home/complained.txt" &
    gate=$!
    local tries=0
    until url="$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).endpoint' \
        "$home/said.json" 2>/dev/null)"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || fail "the gate did not start: $(cat "$home/complained.txt")"
        sleep 0.05
    done
}

end_gate() {
    [ -z "$gate" ] || kill "$gate" 2>/dev/null || true
    [ -z "$gate" ] || wait "$gate" 2>/dev/null || true
    gate=""
}
trap end_gate EXIT

# It is the gate that answers, and not what stands behind it.
check_name() {
    local said
    said="$(node scripts/peers/server-info.mjs "$url" "$1")"
    [ "$said" = toolgate ] || fail "the server calls itself $said"
}

scenarios() {
    if [ "$1" = "$CONFORMANCE_VERSION" ]; then
        conformance "$1" list --server | sed -n 's/^  - \([^ ]*\).*/\1/p'
    else
        # The list goes on with what clients have to do.
        conformance "$1" list --server --requirements "$2" |
            sed -n '/^Client scenarios/q; s/^  - \([^ ]*\).*/\1/p'
    fi
}

play() {
    local more=()
    [ "$1" = "$CONFORMANCE_VERSION" ] || more=(--spec-version "$2")
    judged "$1" "$2" "$3" server --url "$url" "${more[@]}"
}

pinned_node
cargo build --quiet --package toolgate --package toolgate-testkit --bin toolgate \
    --example everything
toolgate="$(cd "$target/debug" && pwd)/toolgate"
everything="$(cd "$target/debug/examples" && pwd)/everything"
rm -rf "$results"
mkdir -p "$results"
serve legacy
check_name 2025-11-25
suite "$CONFORMANCE_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2025-11-25
end_gate
serve modern
check_name 2026-07-28
suite "$CONFORMANCE_NEXT_VERSION" 2026-07-28
end_gate
conclude
