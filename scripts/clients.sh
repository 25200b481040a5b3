#!/usr/bin/env bash
# Lets clients that nobody here wrote list and call tools over HTTP: the MCP Inspector and Codex, the
# latter with a scripted model; once with no configuration at all, once with a configured server.
# Then Codex through `toolgate stdio`: a cold start, and a second window at the same daemon.
# Then holds the tools of the real `codex mcp-server` against the same tools behind the gate.
# Then what people do with Codex, Gemini CLI, the Inspector, the Python SDK and FastMCP, over stdio and
# HTTP: in CI in a small form; `--times` measures from start to first tools instead, on the program that
# $TOOLGATE names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

results="$peers/clients"
gate=""
model=""
# Where a daemon's sockets are, for whoever has one.
run=""

# Ends what was started; the gate has to go in peace.
end_model() {
    [ -z "$model" ] || { kill "$model" && wait "$model"; } 2>/dev/null || true
    model=""
}
end_gate() {
    local code=0
    [ -n "$gate" ] || return 0
    kill "$gate" 2>/dev/null || true
    wait "$gate" || code=$?
    gate=""
    [ "$code" = 0 ] || fail "the gate ended with $code: $(cat "$home/complained.txt")"
}
end_daemon() {
    [ -z "$run" ] || as_them "$toolgate" stop >/dev/null || true
    [ -z "$run" ] || rm -rf "$run"
    run=""
}
trap 'end_model; end_gate; end_daemon' EXIT

# until_said EXPRESSION FILE PROCESS: the same of a file that a process is about to write.
until_said() {
    local tries=0
    until pick "$1" "$2" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || fail "$2 was not written"
        kill -0 "$3" 2>/dev/null || fail "ended before it wrote $2"
        sleep 0.05
    done
}

# be HOME [CONFIGURATION]: a person with nothing, or with this global file.
be() {
    home="$results/$1"
    mkdir -p "$home/work" "$home/.config/toolgate"
    echo "what is in the notes" >"$home/work/notes.txt"
    [ $# -lt 2 ] || echo "$2" >"$home/.config/toolgate/config.toml"
}

# as_them COMMAND…: runs it as that person, in the folder they work in.
as_them() {
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" ${run:+XDG_RUNTIME_DIR="$run"} "$@")
}

# serve [NAME=VALUE…]: a gate of theirs; sets `url` and `token`.
serve() {
    # No shell of ours between: the signal that ends it is for the gate.
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" "$@" "$toolgate" serve \
        --listen 127.0.0.1:0 --json) >"$home/said.json" 2>"$home/complained.txt" &
    gate=$!
    url="$(until_said it.endpoint "$home/said.json" "$gate")"
    token="$(cat "$(pick it.tokenFile "$home/said.json")")"
}

# think [NAMESPACE TOOL ARGUMENTS]: a model that says only this; sets `thoughts`, its address.
think() {
    "$node" scripts/peers/model.mjs "$@" >"$home/model.json" &
    model=$!
    local tries=0
    until thoughts="$(grep -m 1 '^http' "$home/model.json")"; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || fail "the model did not start"
        sleep 0.05
    done
}

inspector() {
    as_them timeout 60 "$node" "$peers/inspector/node_modules/.bin/mcp-inspector" --cli "$url" \
        --transport http --header "Authorization: Bearer $token" "$@" \
        >"$home/inspector.json" 2>"$home/inspector.txt" ||
        fail "the Inspector failed: $(cat "$home/inspector.txt" "$home/inspector.json")"
}

# The provider that every Codex here has; none of them knows another.
codex_config() {
    cat <<TOML
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
[model_providers.scripted]
name = "scripted"
base_url = "$thoughts"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
TOML
}

over_http() {
    printf 'url = "%s"\nbearer_token_env_var = "GATE_TOKEN"\n' "$url"
}

over_stdio() {
    token=unused
    printf 'command = "%s"\nargs = ["stdio", "--client", "codex"]\n' "$toolgate"
    # Codex hands on only what it is told to.
    printf 'env_vars = ["XDG_RUNTIME_DIR"]\n'
}

# codex_calls WAY TOOL ARGUMENTS [KEYS]: Codex with the gate as its only server, reached so, and these
# keys in its entry; writes the item of the call.
codex_calls() {
    local way="$1"
    shift
    think mcp__gate "$1" "$2"
    mkdir -p "$home/codex"
    {
        codex_config
        cat <<TOML
[mcp_servers.gate]
$("$way")
required = true
startup_timeout_sec = 20
${3:-}
TOML
    } >"$home/codex/config.toml"
    as_them CODEX_HOME="$home/codex" GATE_TOKEN="${token:-}" timeout 60 "$node" \
        "$peers/codex-exec/node_modules/.bin/codex" exec --skip-git-repo-check --ephemeral --json \
        go </dev/null >"$home/codex.jsonl" 2>"$home/codex.txt" ||
        fail "Codex failed: $(cat "$home/codex.txt" "$home/codex.jsonl")"
    end_model
    grep '"type":"item.completed"' "$home/codex.jsonl" | grep '"type":"mcp_tool_call"' \
        >"$home/codex.json" || fail "Codex called nothing: $(cat "$home/codex.jsonl")"
}

# called NAME SERVER TOOL ARGUMENTS TEXT [KEYS]: both clients see it, call it and are told the same
# text, and the records say who they were.
called() {
    local listed="$2__$3" client
    serve
    inspector --method tools/list
    expect "$1: the Inspector lists" "$listed" \
        "$(pick "it.tools.map((tool) => tool.name).find((name) => name === '$listed')" \
            "$home/inspector.json")"
    local pairs=()
    [ "$4" = '{}' ] || pairs=(--tool-arg "path=notes.txt")
    inspector --method tools/call --tool-name "$listed" "${pairs[@]}"
    expect "$1: the Inspector calls" "$5" "$(pick 'it.content[0].text.trim()' "$home/inspector.json")"
    codex_calls over_http "$listed" "$4" "${6:-}"
    expect "$1: Codex calls" "$5" \
        "$(pick 'it.item.result?.content[0].text.trim() ?? it.item.error.message' \
            "$home/codex.json")"
    end_gate
    as_them "$toolgate" audit export >"$home/audit.jsonl"
    for client in inspector-cli codex-mcp-client; do
        grep "\"kind\":\"end\".*\"client\":\"$client\"" "$home/audit.jsonl" >"$home/audit.json" ||
            fail "no record of $client: $(cat "$home/audit.jsonl")"
        expect "$1: recorded of $client" "token:default $2 $3 done" \
            "$(pick '[it.principal, it.server, it.tool, it.outcome].join(" ")' "$home/audit.json")"
    done
}

# windows NAME: Codex starts the daemon, a second Codex finds it, and both are told the same.
windows() {
    local turn daemon first=""
    run="$(mktemp -d)"
    for turn in cold attached; do
        codex_calls over_stdio everything__test_simple_text '{}' \
            'default_tools_approval_mode = "approve"'
        expect "$1: Codex calls, $turn" "This is a simple text response for testing." \
            "$(pick 'it.item.result?.content[0].text.trim() ?? it.item.error.message' \
                "$home/codex.json")"
        as_them "$toolgate" status --json >"$home/status.json" || fail "no daemon after Codex"
        daemon="$(pick it.daemon.pid "$home/status.json")"
        expect "$1: the daemon, $turn" "${first:-$daemon}" "$daemon"
        first="$daemon"
    done
    as_them "$toolgate" stop >/dev/null || fail "the daemon does not stop"
    # One that ended and that nobody has asked about yet is gone too.
    grep -qs '^State:.*Z' "/proc/$first/status" || [ ! -e "/proc/$first" ] ||
        fail "the daemon is still there"
    as_them "$toolgate" audit export >"$home/audit.jsonl"
    expect "$1: recorded, twice" "2" \
        "$(grep -c '"kind":"end".*"principal":"local","client":"codex"' "$home/audit.jsonl")"
    end_daemon
}

ask() {
    as_them timeout 60 "$node" "$asking" "$@"
}

# parity NAME [NAME=VALUE…]: the tools of `codex mcp-server` behind the gate are, byte for byte, those
# it has without, and so is what they answer.
parity() {
    local thread
    serve "${@:2}"
    ask tools/list '{}' "$url" "$token" >"$home/behind.json"
    cmp "$results/direct.json" "$home/behind.json" || fail "$1: not the tools of codex mcp-server"
    expect "$1: listed, byte for byte" "codex codex-reply" \
        "$(pick 'it.tools.map((tool) => tool.name).join(" ")' "$home/behind.json")"
    ask tools/call '{"name":"codex","arguments":{"prompt":"one","sandbox":"read-only"}}' \
        "$url" "$token" >"$home/codex.json"
    expect "$1: codex answers" one "$(pick it.structuredContent.content "$home/codex.json")"
    thread="$(pick it.structuredContent.threadId "$home/codex.json")"
    ask tools/call '{"name":"codex-reply","arguments":{"threadId":"'"$thread"'","prompt":"two"}}' \
        "$url" "$token" >"$home/reply.json"
    expect "$1: codex-reply answers" "two in the same thread" \
        "$(pick "it.structuredContent.content +
            (it.structuredContent.threadId === '$thread' ? ' in the same thread' : '')" \
            "$home/reply.json")"
    ask tools/call "$lost" "$url" "$token" >"$home/lost.json"
    cmp "$results/lost.json" "$home/lost.json" || fail "$1: not the error of codex mcp-server"
    expect "$1: an error is the same" true "$(pick it.isError "$home/lost.json")"
    end_gate
}

pinned_node
from_npm inspector "@modelcontextprotocol/inspector@$INSPECTOR_VERSION"
from_npm codex-exec "@openai/codex@$CODEX_EXEC_VERSION"
from_npm codex "@openai/codex@$CODEX_VERSION"
build_ours
toolgate="$(cd "$target/debug" && pwd)/toolgate"
everything="$(cd "$target/debug/examples" && pwd)/everything"
asking="$PWD/scripts/peers/ask.mjs"
codex="$peers/codex/node_modules/.bin/codex"
rm -rf "$results"

# What the journeys need to know.
from_npm gemini "@google/gemini-cli@$GEMINI_CLI_VERSION"
from_npm servers "@modelcontextprotocol/server-everything@$SERVER_EVERYTHING_VERSION" \
    "@modelcontextprotocol/server-filesystem@$SERVER_FILESYSTEM_VERSION"
from_pypi mcp "mcp==$PYTHON_MCP_VERSION"
from_pypi fastmcp "fastmcp==$FASTMCP_VERSION"
export NODE="$node" PYTHON="$python" PEERS="$peers" EVERYTHING="$everything"
export TOOLGATE="${TOOLGATE:-$toolgate}" PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = --times ]; then
    exec python3 scripts/clients times "${@:2}"
fi

be default
called "default suite" repo read_file '{"path":"notes.txt"}' "what is in the notes"

be configured "[servers.everything]
command = \"$everything\"
args = [\"legacy\"]
approval = \"approve\""
# Its tools say nothing of what they do, and Codex may not ask; those of the suite above do say it.
called "configured server" everything test_simple_text '{}' \
    "This is a simple text response for testing." 'default_tools_approval_mode = "approve"'

be windows "[servers.everything]
command = \"$everything\"
args = [\"legacy\"]
approval = \"approve\""
windows "over stdio"

be direct
think
mkdir -p "$home/codex"
codex_config >"$home/codex/config.toml"
provider="$home/codex"
lost='{"name":"codex-reply","arguments":{"threadId":"no thread","prompt":"two"}}'
ask tools/list '{}' -- env CODEX_HOME="$provider" "$node" "$codex" mcp-server \
    >"$results/direct.json" 2>"$home/list.txt" || fail "codex mcp-server: $(cat "$home/list.txt")"
ask tools/call "$lost" -- env CODEX_HOME="$provider" "$node" "$codex" mcp-server \
    >"$results/lost.json" 2>"$home/lost.txt" || fail "codex mcp-server: $(cat "$home/lost.txt")"
entry="command = \"$node\"
args = [\"$codex\", \"mcp-server\"]
env = { CODEX_HOME = \"$provider\" }"
be open "[gateway]
naming = \"bare\"
[servers.codex]
approval = \"approve\"
$entry"
parity "surface open"
be closed "[mcp_servers.codex]
default_tools_approval_mode = \"approve\"
$entry"
parity "surface closed" TOOLGATE_ENABLE_MCP_SERVER_SURFACE=off
end_model
python3 scripts/clients journeys ${CI:+--small} || fail "a client does not get what it should"
echo "$me: as expected"
