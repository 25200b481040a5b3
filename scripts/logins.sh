#!/usr/bin/env bash
# Logs in, with the real program, to a server behind a real identity provider that nobody here wrote
# (npm's oidc-provider): scripts/logins/__main__.py says what is tried. Where there is a Chromium, the
# login is done in it too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

pinned_node
need python3 "Python 3.10 or newer"
from_npm oidc-provider "oidc-provider@$OIDC_PROVIDER_VERSION"
from_npm typescript-sdk "@modelcontextprotocol/server@$TYPESCRIPT_SDK_VERSION" \
    "@modelcontextprotocol/client@$TYPESCRIPT_SDK_VERSION" \
    "@modelcontextprotocol/node@$TYPESCRIPT_SDK_NODE_VERSION"
from_npm inspector "@modelcontextprotocol/inspector@$INSPECTOR_VERSION"
CHROMIUM="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
if [ -n "$CHROMIUM" ]; then
    from_npm puppeteer "puppeteer-core@$PUPPETEER_VERSION"
else
    echo "$me: SKIPPED, NOTHING WAS SEEN IN A BROWSER: chromium is missing" >&2
fi
build_ours
TOOLGATE="$(cd "$target/debug" && pwd)/toolgate"
export TOOLGATE CHROMIUM NODE="$node" PEERS="$peers" PYTHONDONTWRITEBYTECODE=1
python3 scripts/logins "$@" || fail "not as expected"
echo "$me: as expected"
