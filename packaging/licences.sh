#!/usr/bin/env bash
# The licences of all crates of others that the program of a target is made of, in full: packaging/licences.sh TARGET
# Most of them ask to be handed out with the program. The texts are those of the crates' own packages; the same text is printed once.
source "$(dirname "$0")/common.sh"
target="${1:?packaging/licences.sh TARGET}"
home="${CARGO_HOME:-$HOME/.cargo}"
home="${home//\\//}"
texts="$(mktemp -d)"
trap 'rm -rf "$texts"' EXIT

cargo fetch --locked --target "$target" >&2
cargo tree --locked --package olmap --edges normal --target "$target" --prefix none --format '{p}|{l}' |
    sed 's/ (proc-macro)//; s/ (\*)//' | grep -Ev "^olm[a-z-]* v" | sort -u >"$texts/crates"
[ -s "$texts/crates" ] || fail "cargo names no dependencies"

shopt -s nocasematch
while IFS='|' read -r crate licence; do
    folder="${crate/ v/-}"
    found=
    for file in "$home"/registry/src/*/"$folder"/*; do
        name="${file##*/}"
        case "$name" in
        LICENSE* | LICENCE* | COPYING* | COPYRIGHT* | NOTICE* | UNLICENSE*) ;;
        *) continue ;;
        esac
        [ -f "$file" ] || continue
        found=yes
        tr -d '\r' <"$file" >"$texts/text"
        sum="$(cksum <"$texts/text")"
        sum="${sum/ /-}"
        mv "$texts/text" "$texts/$sum.text"
        echo "$crate, $licence: $name" >>"$texts/$sum.crates"
    done
    # Its package has no text: the expression has to do.
    [ -n "$found" ] || echo "$crate, $licence" >>"$texts/none"
done <"$texts/crates"

echo "olmap $version contains the crates below. Each text is preceded by those that it came with."
echo "It also contains the standard library of Rust (The Rust Project Developers, MIT OR Apache-2.0)."
case "$target" in
*-musl) echo "On Linux it contains musl (Copyright 2005-2020 Rich Felker and others), whose licence is MIT." ;;
esac
if [ -s "$texts/none" ]; then
    printf '\nThese name their licence, but their packages have no text of it:\n\n'
    sed 's/^/    /' "$texts/none"
fi
for text in "$texts"/*.text; do
    printf '\n%s\n\n' "--------------------------------------------------------------------------------"
    sed 's/^/    /' "${text%.text}.crates"
    echo
    cat "$text"
done
