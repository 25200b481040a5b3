#!/usr/bin/env bash
# Keeps, replaces and forgets secrets in a real keyring that nobody here wrote (GNOME's), on a bus of its
# own. Run by root it installs the two programs where they are missing and apt is here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/peers.sh
. scripts/peers.sh

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

are_here() {
    command -v dbus-daemon && command -v gnome-keyring-daemon
} >/dev/null

# What apt knows may be older than what its mirror has.
install_them() {
    local install=(apt-get install -y --no-install-recommends dbus gnome-keyring)
    "${install[@]}" || { apt-get update && "${install[@]}"; }
} >"$log" 2>&1

if ! are_here; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "$me: SKIPPED, NOTHING WAS TESTED: install dbus and gnome-keyring" >&2
        exit 0
    fi
    echo "$me: installing dbus and gnome-keyring" >&2
    DEBIAN_FRONTEND=noninteractive install_them || tail -n 3 "$log" >&2
fi
need dbus-daemon "dbus"
need gnome-keyring-daemon "gnome-keyring"
# Of the workspace, since that is what is built already where all tests were run before this.
cargo test --quiet --workspace --lib secret_service -- --nocapture >"$log" 2>&1 || {
    cat "$log" >&2
    fail "the keyring does not do as expected"
}
! grep -h SKIPPED "$log" >&2 || fail "the programs are here, and yet nothing was tried"
grep -q "^test result: ok. 2 passed" "$log" || fail "the tests of the keyring are not where they were"
echo "$me: as expected"
