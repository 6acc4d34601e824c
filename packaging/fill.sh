#!/usr/bin/env bash
# Fills in the manifests of other packagers from the checksums of a release: packaging/fill.sh CHECKSUMS FOLDER
# Of each *.in under packaging/ FOLDER gets a file without that ending, with the version, the repository and the checksum of each
# target's archive in it. Where a checksum is missing nothing is written.
source "$(dirname "$0")/common.sh"
sums="${1:?packaging/fill.sh CHECKSUMS FOLDER}"
folder="${2:?packaging/fill.sh CHECKSUMS FOLDER}"
[ -f "$sums" ] || fail "$sums is not there"
repository="${REPOSITORY:-$(sed -n 's/^repository = "\(.*\)"$/\1/p' Cargo.toml)}"
[ -n "$repository" ] || fail "nobody says where the repository is: add \`repository\` to Cargo.toml, or set REPOSITORY"
repository="${repository%/}"
released="$(sed -n 's/^[0-9a-f]\{64\}  olmap-\(.*\)-x86_64-unknown-linux-musl\.tar\.gz$/\1/p' "$sums")"
[ -n "$released" ] || fail "$sums has no olmap-VERSION-x86_64-unknown-linux-musl.tar.gz"

filled=()
trap 'rm -f "${filled[@]}"' EXIT
for template in packaging/*/*.in; do
    text="$(cat "$template")"
    while [[ "$text" =~ @SHA256:([a-z0-9_-]+)@ ]]; do
        target="${BASH_REMATCH[1]}"
        sum="$(sed -n "s/^\([0-9a-f]\{64\}\)  olmap-$released-$target\.\(tar\.gz\|zip\)\$/\1/p" "$sums")"
        [ -n "$sum" ] || fail "$sums has no archive of $released for $target, which $template needs"
        text="${text//"${BASH_REMATCH[0]}"/"$sum"}"
    done
    text="${text//@VERSION@/"$released"}"
    text="${text//@REPOSITORY@/"$repository"}"
    new="$(mktemp)"
    printf '%s\n' "$text" >"$new"
    filled+=("$new")
done

mkdir -p "$folder"
at=0
for template in packaging/*/*.in; do
    install -m 644 "${filled[$at]}" "$folder/$(basename "$template" .in)"
    at=$((at + 1))
done
