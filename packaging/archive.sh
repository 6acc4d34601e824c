#!/usr/bin/env bash
# Puts a built program into the archive of its target: packaging/archive.sh TARGET
# olmap-VERSION-TARGET.tar.gz, or .zip for Windows, holds one folder of the same name: the program, manual pages, completions,
# licences. The same files make the same tar.gz, byte for byte, where tar is GNU's.
source "$(dirname "$0")/common.sh"
target="${1:?packaging/archive.sh TARGET}"
program="$(program "$target")"
name="olmap-$version-$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

mkdir -p "$out" "$work/$name"
cp "$program" "$work/$name/"
cp LICENSE README.md CHANGELOG.md "$work/$name/"
packaging/licences.sh "$target" >"$work/$name/THIRD-PARTY-LICENSES.txt"
packaging/stage.sh "$program" "$work/$name"

case "$target" in
*windows*)
    rm -f "$out/$name.zip"
    archive="$(cd "$out" && pwd)/$name.zip"
    (cd "$work" && 7z a -tzip -bso0 "$archive" "$name")
    echo "$out/$name.zip"
    ;;
*)
    # The bash of macOS takes an empty list for an unset one.
    options=()
    if tar --version | grep -q 'GNU tar'; then
        epoch="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
        options=(--sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime="@$epoch")
    fi
    tar -C "$work" -cf - ${options[@]+"${options[@]}"} "$name" | gzip -9n >"$out/$name.tar.gz"
    echo "$out/$name.tar.gz"
    ;;
esac
