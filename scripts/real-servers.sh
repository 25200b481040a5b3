#!/usr/bin/env bash
# Lists the tools of servers that nobody here wrote, and calls one, over stdio, Streamable HTTP and
# SSE. Says for each which revision it must come to; anything else fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

legacy=2025-11-25
modern=2026-07-28
list_tools="$target/debug/examples/list_tools"
logs="$peers/real-servers"
running=""
wrong=0

stop() {
    [ -z "$running" ] || { kill "$running" && wait "$running"; } 2>/dev/null || true
    running=""
}
trap stop EXIT

# A configuration with one server, from JavaScript's view of the rest of the arguments.
entry() {
    # shellcheck disable=SC2016 # the dollar is JavaScript's
    "$node" -e 'const [how, ...a] = process.argv.slice(1);
        const kinds = { stdio: () => ({ command: a[0], args: a.slice(1) }),
                        bare: () => ({ url: a[0] }) };
        const peer = (kinds[how] ?? (() => ({ transport: how, url: a[0] })))();
        console.log(JSON.stringify({ servers: { peer } }));' -- "$@"
}

# look TITLE REVISION TOOL ARGUMENTS ENTRY…
look() {
    local title="$1" revision="$2" tool="$3" arguments="$4" seen
    local call=()
    [ -z "$tool" ] || call=("$tool" "$arguments")
    if seen="$(timeout 60 "$list_tools" "$(entry "${@:5}")" "${call[@]}" 2>&1)" &&
        [[ "$seen" == *" $revision tools="* ]]; then
        printf '%-34s %s\n' "$title" "$seen"
    else
        printf '%-34s FAILED, wanted %s: %s\n' "$title" "$revision" "$seen"
        wrong=1
    fi
}

free_port() {
    "$node" -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
        console.log(s.address().port); s.close(); });'
}

# serve COMMAND…: starts a server that listens on $port, and waits for it.
serve() {
    local tries=0 log="$logs/$port.txt"
    "$@" >"$log" 2>&1 </dev/null &
    running=$!
    until (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        tries=$((tries + 1))
        if [ "$tries" = 300 ] || ! kill -0 "$running" 2>/dev/null; then
            tail -n 20 "$log" >&2
            fail "did not come up: $*"
        fi
        sleep 0.1
    done
}

pinned_node
from_npm servers "@modelcontextprotocol/server-everything@$SERVER_EVERYTHING_VERSION" \
    "@modelcontextprotocol/server-filesystem@$SERVER_FILESYSTEM_VERSION"
from_npm codex "@openai/codex@$CODEX_VERSION"
from_pypi mcp-legacy "mcp==$PYTHON_MCP_LEGACY_VERSION"
from_pypi mcp "mcp==$PYTHON_MCP_VERSION"
build_ours
rm -rf "$logs"
mkdir -p "$logs/codex"

everything="$peers/servers/node_modules/.bin/mcp-server-everything"
filesystem="$peers/servers/node_modules/.bin/mcp-server-filesystem"
codex="$peers/codex/node_modules/.bin/codex"
hello='{"message":"hello"}'
sum='{"a":2,"b":3}'

look "everything, stdio" $legacy echo "$hello" stdio "$node" "$everything" stdio
look "filesystem, stdio" $legacy list_allowed_directories '{}' stdio "$node" "$filesystem" "$logs"
look "codex mcp-server, stdio" $legacy "" "" \
    stdio env CODEX_HOME="$logs/codex" "$node" "$codex" mcp-server

port="$(free_port)"
serve env PORT="$port" "$node" "$everything" streamableHttp
look "everything, Streamable HTTP" $legacy echo "$hello" http "http://127.0.0.1:$port/mcp"
look "everything, bare URL" $legacy echo "$hello" bare "http://127.0.0.1:$port/mcp"
stop

port="$(free_port)"
serve env PORT="$port" "$node" "$everything" sse
look "everything, SSE" $legacy echo "$hello" sse "http://127.0.0.1:$port/sse"
look "everything, bare URL of SSE" $legacy echo "$hello" bare "http://127.0.0.1:$port/sse"
stop

# python FOLDER REVISION
# One that speaks both eras is spoken to in the older one over a pipe.
python_server() {
    local adder=(env "PYTHONPATH=$peers/$1" "$python" scripts/peers/adder.py)
    look "python $1, stdio" $legacy add "$sum" stdio "${adder[@]}" stdio
    port="$(free_port)"
    serve "${adder[@]}" streamable-http "$port"
    look "python $1, Streamable HTTP" "$2" add "$sum" http "http://127.0.0.1:$port/mcp"
    stop
    port="$(free_port)"
    serve "${adder[@]}" sse "$port"
    look "python $1, bare URL of SSE" $legacy add "$sum" bare "http://127.0.0.1:$port/sse"
    stop
}

python_server mcp-legacy $legacy
python_server mcp $modern
[ "$wrong" = 0 ] || fail "not as expected"
echo "$me: all of them answered"
