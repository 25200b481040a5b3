#!/usr/bin/env bash
# Runs the server scenarios of the official conformance suite against the gate, in front of servers
# of either era and of both, in both released lines of the suite; `--write` writes docs/conformance.md
# anew. scripts/conformance/__main__.py says what fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

pinned_node
for version in "$CONFORMANCE_VERSION" "$CONFORMANCE_NEXT_VERSION"; do
    from_npm "conformance-$version" "@modelcontextprotocol/conformance@$version"
done
from_npm typescript-sdk "@modelcontextprotocol/server@$TYPESCRIPT_SDK_VERSION" \
    "@modelcontextprotocol/client@$TYPESCRIPT_SDK_VERSION" \
    "@modelcontextprotocol/node@$TYPESCRIPT_SDK_NODE_VERSION"
from_pypi mcp-legacy "mcp==$PYTHON_MCP_LEGACY_VERSION"
from_pypi mcp "mcp==$PYTHON_MCP_VERSION"
build_ours
export NODE="$node" PYTHON="$python" PEERS="$peers" PYTHONDONTWRITEBYTECODE=1
export CONFORMANCE_VERSION CONFORMANCE_NEXT_VERSION
TOOLGATE="$(cd "$target/debug" && pwd)/toolgate"
EVERYTHING="$(cd "$target/debug/examples" && pwd)/everything"
export TOOLGATE EVERYTHING
python3 scripts/conformance "$@" || fail "not as expected"
echo "$me: as expected"
