#!/usr/bin/env bash
# Whether the same source makes the same binary: builds the commit that is checked out twice, from two folders, into two target
# folders, with two homes of cargo, and compares what comes. Exit code 0: the same to the byte.
#
#   packaging/reproducible.sh [PROFILE]      # release, or dist: what is handed out
#
# The same flags make a binary that somebody else can make again: paths are named alike wherever they are, and time is that of
# the commit. It takes the compiler of this machine, and the C compiler for SQLite and for ciphers: another version of either makes
# another binary.
set -euo pipefail
cd "$(dirname "$0")/.."

profile="${1:-release}"
commit="$(git rev-parse HEAD)"
home="${CARGO_HOME:-$HOME/.cargo}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

cargo fetch --locked --quiet

# Builds in a folder of its own, in a time zone; the binary is put at the end of its path.
build() {
    local name="$1" binary="$3"
    local source="$work/$name/source" target="$work/$name/target" cargo="$work/$name/cargo"
    mkdir -p "$source" "$cargo"
    git archive "$commit" | tar -x -C "$source"
    # What was fetched is there under another name: as links, where the file system has them.
    cp -al "$home/registry" "$cargo/" 2>/dev/null || cp -a "$home/registry" "$cargo/"
    [ ! -f "$home/config.toml" ] || cp "$home/config.toml" "$cargo/"
    local maps=("$source=/olmap" "$target=/target" "$cargo=/cargo")
    env -C "$source" CARGO_HOME="$cargo" CARGO_TARGET_DIR="$target" CARGO_INCREMENTAL=0 TZ="$2" \
        SOURCE_DATE_EPOCH="$(git show -s --format=%ct "$commit")" \
        RUSTFLAGS="${RUSTFLAGS:-} ${maps[*]/#/--remap-path-prefix=}" CFLAGS="${maps[*]/#/-ffile-prefix-map=}" \
        cargo build --locked --offline --quiet --profile "$profile" --bin olmap
    cp "$target/$profile/olmap" "$binary"
    rm -rf "${work:?}/$name"
}

printf 'commit %s, profile %s\n%s\n%s\n' "$commit" "$profile" "$(rustc --version)" "$(cc --version | head -n 1)"
build a UTC "$work/first"
build another-folder/below Asia/Kolkata "$work/second"
sha256sum "$work/first" "$work/second" | sed "s|$work/||"
wc -c <"$work/first"
if cmp "$work/first" "$work/second"; then
    echo "the same"
else
    cp "$work/first" "$work/second" "${TMPDIR:-/tmp}"
    echo "they differ: ${TMPDIR:-/tmp}/first and second"
    exit 1
fi
