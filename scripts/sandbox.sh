#!/usr/bin/env bash
# Tries every known way out of the walls, as root and as a user without any privilege, and says which
# were refused. With --report the table goes to docs/reports/sandbox.md. Run by root it makes the other
# user itself, and removes it again; run by anybody else only their own column is made.
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

# The programs, where every user can see them.
mkdir "$work/programs"
cargo test --locked -p toolgate-sandbox --test it --no-run --message-format=json 2>/dev/null |
    python3 -c '
import json, sys
for line in sys.stdin:
    if executable := json.loads(line).get("executable"):
        print(executable)
' >"$work/built"
while read -r program; do
    cp "$program" "$work/programs/"
done <"$work/built"
tests="$(find "$work/programs" -name 'it-*' | head -1)"
[ -n "$tests" ] || { echo "sandbox: the tests were not built" >&2; exit 1; }
chmod -R a+rX "$work"

# attempt WHO COMMAND...: runs the probe, and keeps its table.
attempt() {
    local who="$1"
    shift
    local table="$work/$who.tsv"
    install -m 666 /dev/null "$table"
    if ! "$@" env TOOLGATE_TEST_PROGRAMS="$work/programs" TOOLGATE_PROBE_TABLE="$table" \
        "$tests" walls --nocapture >"$work/$who.log" 2>&1; then
        cat "$work/$who.log" >&2
        echo "sandbox: a wall does not hold, as $who" >&2
        exit 1
    fi
    grep -h SKIPPED "$work/$who.log" >&2 || true
    echo "sandbox: as $who, $(wc -l <"$table") attempts, $(grep -c "	DONE	" "$table" || true) got through"
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
