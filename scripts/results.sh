#!/usr/bin/env bash
# Reads a file of 117 KB with the official filesystem server behind the gate, whose tools have output
# schemas, with clients that refuse what does not fit those: the MCP Inspector and PyPI's `mcp`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

home="$peers/results"
toolgate="$(mkdir -p "$target" && cd "$target" && pwd)/debug/toolgate"
tool=files__read_text_file
gate=""

end_gate() {
    [ -z "$gate" ] || { kill "$gate" && wait "$gate"; } 2>/dev/null || true
    gate=""
}
trap end_gate EXIT

as_them() {
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" "$@")
}

# serve KEYS: a gate with these keys in the entry of the server; sets `url` and `token`.
serve() {
    # On a busy machine the server takes its time, and a list without it is not what is looked at here.
    cat >"$home/.config/toolgate/config.toml" <<TOML
[limits]
list_wait_ms = 30000
[servers.files]
command = "$node"
args = ["$peers/servers/node_modules/.bin/mcp-server-filesystem", "$home/work"]
approval = "approve"
$1
TOML
    rm -f "$home/said.json"
    (cd "$home/work" && exec env -i HOME="$home" PATH="$PATH" "$toolgate" serve \
        --listen 127.0.0.1:0 --json) >"$home/said.json" 2>"$home/complained.txt" &
    gate=$!
    local tries=0
    until url="$(pick it.endpoint "$home/said.json" 2>/dev/null)"; do
        tries=$((tries + 1))
        [ "$tries" -lt 400 ] || fail "the gate did not start: $(cat "$home/complained.txt")"
        sleep 0.05
    done
    token="$(cat "$(pick it.tokenFile "$home/said.json")")"
}

inspector() {
    as_them timeout 60 "$node" "$peers/inspector/node_modules/.bin/mcp-inspector" --cli "$url" \
        --transport http --header "Authorization: Bearer $token" --method tools/call \
        --tool-name "$tool" --tool-arg "path=$home/work/$1" \
        >"$home/inspector.json" 2>"$home/inspector.txt" ||
        fail "the Inspector failed: $(cat "$home/inspector.txt" "$home/inspector.json")"
}

python_client() {
    as_them PYTHONPATH="$peers/mcp-legacy" timeout 60 "$python" "$OLDPWD/scripts/peers/read_file.py" \
        "$url" "$token" "$tool" "$home/work/$1" >"$home/python.json" 2>"$home/python.txt" ||
        fail "PyPI's mcp failed: $(cat "$home/python.txt")"
}

# What a client got of the long file, in words.
told='(() => {
    const cut = /\[cut here: 119808 bytes(?:, \d+ lines)? in all, kept at (toolgate:\/\/artifact\/[0-9a-f]{32})/;
    const said = it.structuredContent?.content;
    const uri = cut.exec(said ?? "")?.[1];
    const kept = it._meta?.["toolgate/artifacts"]?.[0]?.uri;
    if (it.isError) return "an error";
    if (said === undefined) return cut.test(it.content[0].text) ? "text alone" : "nothing";
    if (!uri || uri !== kept) return "no reference: " + said.slice(-200);
    return cut.test(it.content[0].text) && said.startsWith("line 1\n") ? "cut, with its reference"
        : "no reference in content";
})()'

pinned_node
from_npm servers "@modelcontextprotocol/server-everything@$SERVER_EVERYTHING_VERSION" \
    "@modelcontextprotocol/server-filesystem@$SERVER_FILESYSTEM_VERSION"
from_npm inspector "@modelcontextprotocol/inspector@$INSPECTOR_VERSION"
from_pypi mcp-legacy "mcp==$PYTHON_MCP_LEGACY_VERSION"
build_ours
rm -rf "$home"
mkdir -p "$home/work" "$home/.config/toolgate"
"$node" -e 'let all = "";
    for (let line = 1; all.length < 119808; line++) all += `line ${line}\n`;
    require("fs").writeFileSync(process.argv[1], all.slice(0, 119808));' -- "$home/work/long.txt"
echo short >"$home/work/short.txt"

serve ""
inspector short.txt
expect "a short file, the Inspector" short "$(pick 'it.structuredContent.content.trim()' "$home/inspector.json")"
inspector long.txt
expect "117 KB, the Inspector" "cut, with its reference" "$(pick "$told" "$home/inspector.json")"
python_client long.txt
expect "117 KB, PyPI's mcp" "cut, with its reference" "$(pick "$told" "$home/python.json")"
end_gate

serve "omit_output_schemas = true"
inspector long.txt
expect "without output schemas, the Inspector" "text alone" "$(pick "$told" "$home/inspector.json")"
end_gate
echo "$me: as expected"
