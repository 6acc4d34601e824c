# What the scripts here share: where the repository is, its version, and where their results go. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 2
}

version="$(sed -n '/^version = "/{s/^version = "\(.*\)"$/\1/p;q;}' Cargo.toml)"
[ -n "$version" ] || fail "Cargo.toml names no version"
build="${CARGO_TARGET_DIR:-target}"
out="${OUT:-$build/release-files}"

# The program as it is built for a target.
program() {
    local name="$build/$1/dist/olmap"
    case "$1" in *windows*) name="$name.exe" ;; esac
    [ -f "$name" ] || fail "$name is not there: packaging/build.sh $1 makes it"
    echo "$name"
}
