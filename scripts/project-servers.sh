#!/usr/bin/env bash
# Servers that a project brings, from npm and from PyPI, behind walls: each added with one command at a
# terminal, which fetches it and fixes its versions; listed; called; and one that keeps things asked again
# after a restart, after its code was taken away, and by another process.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

need node "Node 20 or newer"
need npm "npm, which comes with Node"
need git "git"
from_pypi uv "uv==$UV_VERSION"
build_ours
toolgate="$(cd "$target" && pwd)/debug/toolgate"
real_home="$HOME"
root="$PWD"
home="$peers/project-servers"
run="$(mktemp -d)"
gate=""

end_all() {
    [ -z "$gate" ] || { kill "$gate" && wait "$gate"; } 2>/dev/null || true
    gate=""
    rm -rf "$run"
}
trap end_all EXIT

rm -rf "$home"
mkdir -p "$home/work"
git init --quiet "$home/work"
# What cannot be built here cannot be shown.
if ! (cd "$home/work" && "$toolgate" sandbox run -- true) 2>"$run/why"; then
    grep -q "does not let walls be built" "$run/why" || fail "$(cat "$run/why")"
    [ -z "${CI:-}" ] || fail "no walls here, and this is CI: $(cat "$run/why")"
    echo "$me: SKIPPED, NOTHING WAS TESTED: $(cat "$run/why")" >&2
    exit 0
fi

# Somebody with a home of their own, and the settings of whoever runs this for the registries.
become_them() {
    cd "$home/work"
    [ ! -f "$real_home/.npmrc" ] || export NPM_CONFIG_USERCONFIG="$real_home/.npmrc"
    unset XDG_STATE_HOME XDG_CONFIG_HOME
    exec env HOME="$home" PATH="$peers/uv/bin:$PATH" XDG_RUNTIME_DIR="$run" "$@"
}

as_them() {
    (become_them "$@")
}

# add NAME VERSIONS COMMAND…: at a terminal, where its tools are not to run unasked.
add() {
    local began=$SECONDS
    as_them "$python" "$root/scripts/peers/terminal.py" --within 300 \
        "type:n\\r:downloaded and fixed $2" "see:accepted as trusted, since you typed it here" -- \
        "$toolgate" add "$1" --approval approve -- "${@:3}" || fail "$1 was not added"
    printf '%-56s %s\n' "$1: fetched and fixed, in $((SECONDS - began)) s" "$2"
}

tools() {
    as_them "$toolgate" tools --server "$1" --json >"$run/tools.json" || fail "$1 was not listed"
    pick 'it.tools.length > 0 ? "listed" : "empty"' "$run/tools.json"
}

# call SERVER TOOL WORDS…: what it says, in one line.
call() {
    as_them "$toolgate" call "$@" | tr '\n' ' '
}

serve() {
    # By itself, so that what is ended is the gate and not a shell around it.
    become_them "$toolgate" serve --listen 127.0.0.1:0 >"$run/serve" 2>&1 &
    gate=$!
    local tries=0
    until as_them "$toolgate" status >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || fail "the gate did not come up: $(cat "$run/serve")"
        sleep 0.1
    done
}

stop() {
    kill "$gate"
    wait "$gate" 2>/dev/null || true
    gate=""
}

node="$(command -v node)"
at="@modelcontextprotocol"
add memory "$at/server-memory@$SERVER_MEMORY_VERSION" \
    npx -y "$at/server-memory@$SERVER_MEMORY_VERSION"
add files "$at/server-filesystem@$SERVER_FILESYSTEM_VERSION" \
    npx -y "$at/server-filesystem@$SERVER_FILESYSTEM_VERSION" .
add everything "$at/server-everything@$SERVER_EVERYTHING_VERSION" \
    npx -y "$at/server-everything@$SERVER_EVERYTHING_VERSION"
add git "mcp-server-git==$MCP_SERVER_GIT_VERSION" uvx "mcp-server-git@$MCP_SERVER_GIT_VERSION"
add time "mcp-server-time==$MCP_SERVER_TIME_VERSION" uvx "mcp-server-time@$MCP_SERVER_TIME_VERSION"
for server in memory files everything git time; do
    expect "$server: its tools" listed "$(tools "$server")"
done

serve
work="$(cd "$home/work" && pwd -P)"
call memory create_entities \
    'entities=[{"name":"ada","entityType":"person","observations":["engines"]}]' >/dev/null
[[ "$(call files write_file "path=$work/new.txt" content=hello)" == *Successfully* ]] ||
    fail "files: nothing was written"
expect "files: written in the project" hello "$(cat "$work/new.txt")"
[[ "$(call everything echo message=hello)" == *"Echo: hello"* ]] || fail "everything: no echo"
[[ "$(call git git_status "repo_path=$work")" == *new.txt* ]] || fail "git: no status"
[[ "$(call time get_current_time timezone=UTC)" == *UTC* ]] || fail "time: no time"
expect "all five were called through the gate" ok ok
# Outside the project there is nothing to write to, nor a repository to change.
if call git git_add "repo_path=$work" 'files=["new.txt"]' >"$run/added" 2>&1; then
    fail "git: .git was written to"
fi
stop
serve
[[ "$(call memory read_graph)" == *ada* ]] || fail "memory: forgotten with the gate"
expect "memory: read back by another gate" ok ok
stop
rm -rf "$home"/.local/state/toolgate/packages/*/code
[[ "$(call memory read_graph)" == *ada* ]] || fail "memory: forgotten with its code"
expect "memory: read back with its code fetched again" ok ok
echo "$me: all of them are there"
