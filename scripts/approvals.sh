#!/usr/bin/env bash
# A person is asked about calls of a real client: Codex with a scripted model, through `toolgate stdio`.
# Accepted in its own terminal; declined by itself where nobody can be asked, and then answered from
# the queue by somebody else, or by nobody; accepted empty under full access, which approves nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

results="$peers/approvals"
model=""
run=""
codex_pid=""

# Codex keeps a server of its own running; it goes by the home that it was given.
end_codex() {
    local folder
    for folder in /proc/[0-9]*; do
        case "$(readlink "$folder/exe" 2>/dev/null)" in
            "$results"/*) kill -9 "${folder#/proc/}" 2>/dev/null || true ;;
        esac
    done
}
end_all() {
    [ -z "$codex_pid" ] || { kill "$codex_pid" && wait "$codex_pid"; } 2>/dev/null || true
    [ -z "$model" ] || { kill "$model" && wait "$model"; } 2>/dev/null || true
    codex_pid="" model=""
    end_codex
    [ -z "$run" ] || as_them "$toolgate" stop >/dev/null 2>&1 || true
    [ -z "$run" ] || rm -rf "$run"
    run=""
}
trap end_all EXIT

as_them() {
    (cd "$home/work" && exec env -i TERM=xterm-256color HOME="$home" PATH="$PATH" \
        XDG_RUNTIME_DIR="$run" CODEX_HOME="$home/codex" "$@")
}

# be NAME MILLISECONDS POLICY: a person whose calls wait so long, and whose Codex may ask or not.
be() {
    end_all
    home="$results/$1"
    run="$(mktemp -d)"
    mkdir -p "$home/work" "$home/.config/toolgate" "$home/codex"
    cat >"$home/.config/toolgate/config.toml" <<TOML
[approval]
timeout_ms = $2
[servers.everything]
command = "$everything"
args = ["legacy"]
TOML
    "$node" scripts/peers/model.mjs mcp__gate everything__test_simple_text '{}' >"$home/model.txt" &
    model=$!
    local tries=0 thoughts
    until thoughts="$(grep -m 1 '^http' "$home/model.txt")"; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || fail "the model did not start"
        sleep 0.05
    done
    cat >"$home/codex/config.toml" <<TOML
model = "scripted"
model_provider = "scripted"
approval_policy = "$3"
sandbox_mode = "read-only"
[model_providers.scripted]
name = "scripted"
base_url = "$thoughts"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.gate]
command = "$toolgate"
args = ["stdio", "--client", "codex"]
env_vars = ["XDG_RUNTIME_DIR"]
required = true
startup_timeout_sec = 20
default_tools_approval_mode = "approve"
[projects."$home/work"]
trust_level = "trusted"
[projects."$PWD"]
trust_level = "trusted"
TOML
}

# codex_exec [FLAG…]: with nobody at its streams, started from a shell of its own: whatever is above an
# agent up to such a shell counts as the agent too, and this script is the person. What it was told of
# the call goes to `codex.json`.
codex_exec() {
    cat >"$home/exec.sh" <<'SH'
timeout 90 "$@" </dev/null >"$HOME/codex.jsonl" 2>"$HOME/codex.txt"
echo "codex ended with $?"
SH
    as_them python3 "$terminal" --within 95 "see:codex ended with 0" -- sh "$home/exec.sh" \
        "$node" "$codex" exec "$@" --skip-git-repo-check --ephemeral --json go ||
        fail "Codex failed: $(cat "$home/codex.txt" "$home/codex.jsonl")"
    grep '"type":"item.completed"' "$home/codex.jsonl" | grep '"type":"mcp_tool_call"' \
        >"$home/codex.json" || fail "Codex called nothing: $(cat "$home/codex.jsonl")"
}

told() {
    pick 'it.item.result?.content[0].text.trim().replace(/, ref .*/, ")") ?? it.item.error.message' \
        "$home/codex.json"
}

# decided: how, over what and by whom the last question was answered.
decided() {
    as_them "$toolgate" audit export | grep '"kind":"decision"' | tail -n 1 >"$home/decision.json" ||
        fail "no decision was recorded"
    pick '[it.outcome, it.body.approval.choice, it.body.approval.channel].filter(Boolean).join(" ")' \
        "$home/decision.json"
}

# waiting: the reference of the one call that waits.
waiting() {
    local tries=0
    until as_them "$toolgate" approvals --json >"$home/approvals.json" 2>/dev/null &&
        pick 'it.approvals[0]?.ref' "$home/approvals.json"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || fail "nothing waits: $(cat "$home/approvals.json")"
        sleep 0.1
    done
}

pinned_node
need python3 "Python 3.10 or newer"
from_npm codex-exec "@openai/codex@$CODEX_EXEC_VERSION"
build_ours
toolgate="$(cd "$target/debug" && pwd)/toolgate"
everything="$(cd "$target/debug/examples" && pwd)/everything"
codex="$peers/codex-exec/node_modules/.bin/codex"
terminal="$PWD/scripts/peers/terminal.py"
rm -rf "$results"
text="This is a simple text response for testing."

be terminal 120000 on-request
as_them python3 "$terminal" --within 60 "see:enter to submit" 'type:\r:Worked for' -- \
    "$node" "$codex" go || fail "Codex's terminal did not take the answer"
expect "in Codex's own terminal: accepted" "approved once agent" "$(decided)"
as_them "$toolgate" audit export | grep '"kind":"end"' >"$home/end.json"
expect "and the call ran" done "$(pick it.outcome "$home/end.json")"

be refused 120000 on-request
as_them python3 "$terminal" --within 60 "see:enter to submit" 'type:3\r:Worked for' -- \
    "$node" "$codex" go || fail "Codex's terminal did not take the answer"
expect "in Codex's own terminal: denied" "denied deny agent" "$(decided)"

be escape 120000 on-request
as_them python3 "$terminal" --within 60 "see:enter to submit" 'type:\x1b:Worked for' -- \
    "$node" "$codex" go || fail "Codex's terminal did not take the answer"
expect "in Codex's own terminal: Esc" "denied deny agent" "$(decided)"

be alone 3000 never
codex_exec
expect "Codex declines by itself, and nobody else answers" \
    "the user did not answer in time (expired) (permission_denied)" "$(told)"
expect "and that is written down" expired "$(decided)"

be queue 60000 never
codex_exec &
codex_pid=$!
reference="$(waiting)"
seen="$(pick 'it.approvals[0].seen' "$home/approvals.json")"
as_them "$toolgate" approve "$reference" --seen "$seen" >"$home/approve.txt" 2>&1 ||
    fail "not approved: $(cat "$home/approve.txt")"
wait "$codex_pid" || fail "Codex failed"
codex_pid=""
expect "Codex declines by itself, and the queue approves" "$text" "$(told)"
expect "by somebody whose processes are known" "approved once queue" "$(decided)"
pick it.body.approval.processes "$home/decision.json" | grep -q 'toolgate(' ||
    fail "no processes: $(cat "$home/decision.json")"

be access 3000 never
codex_exec --dangerously-bypass-approvals-and-sandbox
expect "an empty form under full access approves nothing" \
    "the user did not answer in time (expired) (permission_denied)" "$(told)"
expect "and that is written down" expired "$(decided)"
echo "$me: as expected"
