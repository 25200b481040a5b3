#!/usr/bin/env bash
# Tries every known way out of the walls, as root and as a user without any privilege, with our own outer
# wall and with one that bwrap builds, and says which were refused. With --report the table goes to
# docs/reports/sandbox.md. Run by root it makes the other user itself, and removes it again, and installs
# bubblewrap where it is missing and apt is here; run by anybody else only their own columns are made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=toolgate-probe
work="$(mktemp -d)"
made_user=""
clean_up() {
    rm -rf "$work"
    [ -z "$made_user" ] || userdel --remove "$name" 2>/dev/null || true
}
trap clean_up EXIT

# The programs, where every user can see them: those of one crate, built with all others as the tests are.
mkdir "$work/programs"
cargo test --locked --workspace --no-run --message-format=json 2>/dev/null |
    python3 -c '
import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable") and "/crates/sandbox/" in built["manifest_path"]:
        print(built["executable"])
' >"$work/built"
while read -r program; do
    cp "$program" "$work/programs/"
done <"$work/built"
tests="$(find "$work/programs" -name 'it-*' | head -1)"
[ -n "$tests" ] || { echo "sandbox: the tests were not built" >&2; exit 1; }
chmod -R a+rX "$work"

if [ "$(id -u)" = 0 ] && ! command -v bwrap >/dev/null && command -v apt-get >/dev/null; then
    apt-get install -y bubblewrap >"$work/apt.log" 2>&1 || tail -n 3 "$work/apt.log" >&2
fi
outers="builtin"
if command -v bwrap >/dev/null; then
    outers="builtin bwrap"
else
    echo "sandbox: SKIPPED with bwrap: there is no bwrap here (package bubblewrap)" >&2
fi

# attempt WHO COMMAND...: runs the probe with each outer wall, and keeps its tables.
attempt() {
    local who="$1" outer
    shift
    for outer in $outers; do
        local table="$work/$outer-$who.tsv" log="$work/$outer-$who.log"
        install -m 666 /dev/null "$table"
        if ! "$@" env TOOLGATE_TEST_PROGRAMS="$work/programs" TOOLGATE_PROBE_TABLE="$table" \
            TOOLGATE_TEST_OUTER="$outer" "$tests" walls --nocapture >"$log" 2>&1; then
            cat "$log" >&2
            echo "sandbox: a wall does not hold, $outer, as $who" >&2
            exit 1
        fi
        grep -h SKIPPED "$log" >&2 || true
        if [ ! -s "$table" ]; then
            echo "sandbox: SKIPPED: nothing was tried, $outer, as $who" >&2
            continue
        fi
        echo "sandbox: $outer, as $who, $(wc -l <"$table") attempts, $(grep -c "	DONE	" "$table" || true) got through"
    done
}

if [ "$(id -u)" = 0 ]; then
    attempt root env
fi
if [ "$(id -u)" = 0 ] && ! { command -v useradd && command -v setpriv; } >/dev/null; then
    echo "sandbox: SKIPPED as another user: there is no useradd or no setpriv here" >&2
elif [ "$(id -u)" = 0 ]; then
    if ! id "$name" >/dev/null 2>&1; then
        useradd --system --create-home --shell /bin/sh "$name"
        made_user=yes
    fi
    home="$(getent passwd "$name" | cut -d: -f6)"
    attempt user setpriv --reuid "$name" --regid "$name" --init-groups env HOME="$home" TMPDIR=/tmp
else
    echo "sandbox: SKIPPED as root: run by $(id -un)" >&2
    attempt user env
fi

if [ "${1:-}" = --report ]; then
    python3 scripts/sandbox_report.py "$work" docs/reports/sandbox.md
fi
