#!/usr/bin/env bash
# The real `codex mcp-server`, which a project brings: pending until it is trusted, then behind walls and
# behind a person's approval, with its own sandbox off and a scripted model. Its two tools have the names,
# arguments and answers that they have without a gate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

results="$peers/codex-behind-walls"
gate=""
model=""
asking_pid=""
# Where sockets are: their paths are short.
run=""

end_all() {
    local pid
    for pid in $asking_pid $gate $model; do
        { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    done
    asking_pid="" gate="" model=""
    [ -z "$run" ] || rm -rf "$run"
    run=""
}
trap end_all EXIT

# until_there EXPRESSION FILE: what JavaScript makes of a file that is about to be written.
until_there() {
    local tries=0
    until pick "$1" "$2" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "nothing of this in $2: $1"
        sleep 0.05
    done
}

as_them() {
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" XDG_RUNTIME_DIR="$run" "$@")
}

# From a terminal and a shell of its own: whatever is above an agent up to such a shell counts as the agent
# too, and this script is the person.
ask() {
    cat >"$home/ask.sh" <<'ASK'
timeout 120 "$@" </dev/null >"$HOME/asked.json" 2>"$HOME/asked.txt"
echo "it ended with $?"
ASK
    as_them TERM=xterm python3 "$terminal" --within 130 "see:it ended with 0" -- sh "$home/ask.sh" \
        "$node" "$asking" "$@"
}

# approved ARGUMENTS FILE: a call that a person is asked about, and allows.
approved() {
    local reference seen
    ask tools/call "$1" "$url" "$token" &
    asking_pid=$!
    local tries=0
    until as_them "$toolgate" approvals --json >"$home/approvals.json" 2>/dev/null &&
        reference="$(pick 'it.approvals[0]?.ref' "$home/approvals.json")"; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || fail "nobody is asked: $(cat "$home/approvals.json" "$home"/asked.*)"
        sleep 0.1
    done
    seen="$(pick 'it.approvals[0].seen' "$home/approvals.json")"
    as_them "$toolgate" approve "$reference" --seen "$seen" >"$home/approve.txt" 2>&1 ||
        fail "not approved: $(cat "$home/approve.txt")"
    wait "$asking_pid" || fail "the call failed: $(cat "$home"/asked.*)"
    asking_pid=""
    mv "$home/asked.json" "$2"
}

pinned_node
need python3 "Python 3.10 or newer"
from_npm codex "@openai/codex@$CODEX_VERSION"
build_ours
toolgate="$(cd "$target/debug" && pwd)/toolgate"
asking="$PWD/scripts/peers/ask.mjs"
terminal="$PWD/scripts/peers/terminal.py"
codex="$peers/codex/node_modules/.bin/codex"
rm -rf "$results"
home="$results/home"
run="$(mktemp -d)"
mkdir -p "$home/work/.toolgate" "$home/codex" "$home/.config/toolgate"

# Not where there are no walls; loudly, and in CI not at all.
if ! as_them "$toolgate" sandbox run -- true 2>"$home/walls.txt"; then
    [ -z "${CI:-}" ] || fail "there are no walls here, and this is CI: $(cat "$home/walls.txt")"
    echo "$me: SKIPPED, NOTHING WAS TESTED: $(cat "$home/walls.txt")" >&2
    exit 0
fi

touch "$home/model.txt"
"$node" scripts/peers/model.mjs >"$home/model.txt" &
model=$!
tries=0
until thoughts="$(grep -m 1 '^http' "$home/model.txt")"; do
    tries=$((tries + 1))
    [ "$tries" -lt 400 ] || fail "the model did not start"
    sleep 0.05
done
thoughts_at="${thoughts#http://}"
# Its own sandbox is off: what it runs is behind ours.
cat >"$home/codex/config.toml" <<TOML
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "$thoughts"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
TOML
printf '[gateway]\nnaming = "bare"\n' >"$home/.config/toolgate/config.toml"
# No word of approval or sandbox: what a project brings has both.
cat >"$home/work/.toolgate/config.toml" <<TOML
[servers.codex]
command = "$node"
args = ["$codex", "mcp-server"]
env = { CODEX_HOME = "$home/codex" }
readable = ["$peers/codex", "$peers/node"]
writable = ["$home/codex"]
allow_network = ["${thoughts_at%%/*}"]
TOML

as_them timeout 120 "$node" "$asking" tools/list '{}' -- env CODEX_HOME="$home/codex" "$node" "$codex" mcp-server \
    >"$results/direct.json" 2>"$home/direct.txt" || fail "codex mcp-server: $(cat "$home/direct.txt")"
state() {
    as_them "$toolgate" list --json >"$home/list.json" || true
    pick 'it.servers.find((server) => server.id === "codex").trust' "$home/list.json"
}
expect "what a project brings waits" pending "$(state)"
as_them TERM=xterm python3 "$terminal" --within 60 "see:[y/N]" 'type:y\r:accepted' -- \
    "$toolgate" trust codex --trusted || fail "not trusted"
expect "a person trusts it" trusted "$(state)"

# No shell of ours between: the signal that ends it is for the gate.
(cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" XDG_RUNTIME_DIR="$run" \
    "$toolgate" serve --listen 127.0.0.1:0 --json) \
    >"$home/said.json" 2>"$home/complained.txt" &
gate=$!
url="$(until_there it.endpoint "$home/said.json")"
token="$(cat "$(pick it.tokenFile "$home/said.json")")"

# A first list may be answered before a server that starts slowly.
tries=0
until ask tools/list '{}' "$url" "$token" && mv "$home/asked.json" "$home/behind.json" &&
    cmp --quiet "$results/direct.json" "$home/behind.json"; do
    tries=$((tries + 1))
    [ "$tries" -lt 30 ] ||
        fail "not the tools of codex mcp-server: $(cut -c 1-2000 "$home/behind.json" "$home/complained.txt")"
    sleep 0.5
done
expect "listed, byte for byte" "codex codex-reply" \
    "$(pick 'it.tools.map((tool) => tool.name).join(" ")' "$home/behind.json")"

ask tools/call '{"name":"codex","arguments":{"prompt":"one","sandbox":"no such"}}' "$url" "$token"
expect "what its schema does not allow is not asked about" invalid_argument \
    "$(pick 'it._meta["toolgate/code"]' "$home/asked.json")"

approved '{"name":"codex","arguments":{"prompt":"one","sandbox":"danger-full-access"}}' "$home/codex.json"
expect "codex, approved, answers" one "$(pick it.structuredContent.content "$home/codex.json")"
thread="$(pick it.structuredContent.threadId "$home/codex.json")"
approved '{"name":"codex-reply","arguments":{"threadId":"'"$thread"'","prompt":"two"}}' "$home/reply.json"
expect "codex-reply, approved, answers" "two in the same thread" \
    "$(pick "it.structuredContent.content +
        (it.structuredContent.threadId === '$thread' ? ' in the same thread' : '')" "$home/reply.json")"

# Every process of it is in a process tree of its own, in which our files are not.
own="$(readlink /proc/self/ns/mnt)"
seen=0
for folder in /proc/[0-9]*; do
    { tr '\0' ' ' <"$folder/cmdline" | grep -q 'codex.*mcp-server'; } 2>/dev/null || continue
    [ "$(readlink "$folder/ns/mnt")" != "$own" ] || fail "${folder#/proc/} is behind no wall"
    seen=$((seen + 1))
done
[ "$seen" -gt 0 ] || fail "no process of codex mcp-server is there"
expect "its processes are behind walls" yes yes

as_them "$toolgate" audit export >"$home/audit.jsonl"
expect "recorded: approved and done, twice" 2 \
    "$(grep '"kind":"end"' "$home/audit.jsonl" | grep -c '"outcome":"done"')"
end_all
echo "$me: as expected"
