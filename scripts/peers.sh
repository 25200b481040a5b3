# Sourced by the scripts beside it, from the top of the repository: installs foreign programs below
# target/, each once, with the ordinary clients of their registries. Writes nowhere else.
# shellcheck shell=bash
# shellcheck source=scripts/versions.env
. scripts/versions.env

me="$(basename "$0" .sh)"
target="${CARGO_TARGET_DIR:-target}"
peers="$(mkdir -p "$target/peers" && cd "$target/peers" && pwd)"

fail() {
    echo "$me: $1" >&2
    exit 1
}

# Our own programs, by the very choice that the tests are built with: any other one has other features,
# and builds half of the workspace once more.
build_ours() {
    cargo test --quiet --workspace --no-run
}

# What is missing makes a run in CI fail, and one by hand end here, loudly.
need() {
    command -v "$1" >/dev/null && return
    [ -z "${CI:-}" ] || fail "$1 is missing, and this is CI"
    echo "$me: SKIPPED, NOTHING WAS TESTED: $1 is missing; install $2" >&2
    exit 0
}

# from_npm FOLDER PACKAGE@VERSION…: installs the packages into a folder of their own. Scripts that
# packages want to run at installation are not run.
from_npm() {
    local folder="$peers/$1" wanted="${*:2}"
    [ "$(cat "$folder/.installed" 2>/dev/null)" != "$wanted" ] || return 0
    echo "$me: installing $wanted" >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    npm install --prefix "$folder" --cache "$peers/npm-cache" --ignore-scripts --no-audit \
        --no-fund --loglevel=error "${@:2}" >&2 || fail "npm could not install $wanted"
    rm -rf "$peers/npm-cache"
    echo "$wanted" >"$folder/.installed"
}

# The pinned Node; sets `node`.
pinned_node() {
    need node "Node 20 or newer"
    need npm "npm, which comes with Node"
    local package
    package="node-$(node -p 'process.platform + "-" + process.arch')"
    from_npm node "$package@$NODE_VERSION"
    node="$peers/node/node_modules/$package/bin/node"
    # npm packages find it by its name.
    PATH="$(dirname "$node"):$PATH"
    [ "$("$node" --version)" = "v$NODE_VERSION" ] || fail "$node is not Node $NODE_VERSION"
}

# from_pypi FOLDER PACKAGE==VERSION: installs the package into a folder for PYTHONPATH; sets `python`.
from_pypi() {
    need python3 "Python 3.10 or newer"
    local folder="$peers/$1" venv="$peers/venv"
    python="$venv/bin/python"
    [ "$(cat "$folder/.installed" 2>/dev/null)" != "$2" ] || return 0
    echo "$me: installing $2" >&2
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || fail "python3 has no venv module"
    rm -rf "$folder"
    "$python" -m pip install --quiet --disable-pip-version-check --no-cache-dir \
        --target "$folder" "$2" >&2 || fail "pip could not install $2"
    echo "$2" >"$folder/.installed"
}

# pick EXPRESSION FILE: what JavaScript makes of `it`, the JSON in a file.
pick() {
    "$node" -e 'const it = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
        const found = eval(process.argv[1]);
        if (found === undefined) process.exit(1);
        console.log(typeof found === "string" ? found : JSON.stringify(found));' -- "$@"
}

# expect TITLE WANTED SEEN
expect() {
    [ "$2" = "$3" ] || fail "$1: wanted $2, saw $3"
    printf '%-56s %s\n' "$1" "${3:0:60}"
}
