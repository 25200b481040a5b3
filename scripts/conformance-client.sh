#!/usr/bin/env bash
# Runs the client scenarios of the official conformance suite, in both released lines of the suite and
# both eras, and compares the failures with tests/conformance/expected-failures.txt. Those about logins
# are played by a person with the real program (scripts/logins/conformance.py), the others by our own
# client alone. What came of it is docs/conformance-client.md; `--write` writes it anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh
# shellcheck source=scripts/conformance.sh
. scripts/conformance.sh

expected=tests/conformance/expected-failures.txt
page=docs/conformance-client.md
driver="$target/debug/examples/conformance_client"
results="$peers/conformance-results"

# Scenarios of a revision. `draft` and `extension` are on no revision's list, only on that of all, and
# with an old revision the suite lists the others too; of these only those about logins are played.
scenarios() {
    local listed
    case "$2" in
    draft | extension | 2025-03-26) listed="$(conformance "$1" list --client | grep "^  - auth/.*\[$2\]")" ;;
    *) listed="$(conformance "$1" list --client --spec-version "$2")" ;;
    esac
    sed -n 's/^  - \([^ ]*\).*/\1/p' <<<"$listed"
}

play() {
    local command="$driver" revision=(--spec-version "$2")
    case "$3" in auth/*) command="python3 scripts/logins/conformance.py" ;; esac
    case "$2" in draft | extension) revision=() ;; esac
    run "$1" "$2" "$3" client --command "$command" "${revision[@]}"
}

pinned_node
need python3 "Python 3.10 or newer"
build_ours
TOOLGATE="$(cd "$target/debug" && pwd)/toolgate"
export TOOLGATE PYTHONDONTWRITEBYTECODE=1
rm -rf "$results"
mkdir -p "$results"
cat >"$results/page.md" <<'END'
# Conformance of the client

What the official conformance suite (npm `@modelcontextprotocol/conformance`) says of the gate as a client
of servers: every scenario that it has for clients in both released lines and both revisions, and those
about logins that belong to no revision, to an old one or to an extension. The page is written by
`scripts/conformance-client.sh --write`; CI plays all of it again and holds it against the page. What the
suite says of the gate as a server is in [conformance.md](conformance.md).

The scenarios below `auth/` are played with the real program by a person who has one server in their
file: they list its tools, log in when they are told to (`toolgate login`, at a terminal, in a browser
that does what links say), and call each tool. The others are played by the connections that the program
is made of.
END
suite "$CONFORMANCE_VERSION" 2025-03-26
suite "$CONFORMANCE_VERSION" 2025-11-25
suite "$CONFORMANCE_VERSION" draft
suite "$CONFORMANCE_VERSION" extension
suite "$CONFORMANCE_NEXT_VERSION" 2025-03-26
suite "$CONFORMANCE_NEXT_VERSION" 2025-11-25
suite "$CONFORMANCE_NEXT_VERSION" 2026-07-28
suite "$CONFORMANCE_NEXT_VERSION" extension
conclude "$@"
