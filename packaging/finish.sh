#!/usr/bin/env bash
# Adds what is about all files of a release: its bill of materials (CycloneDX), then the checksums. It needs cargo-cyclonedx.
source "$(dirname "$0")/common.sh"
[ -d "$out" ] || fail "$out is not there: packaging/archive.sh puts archives into it"
cargo cyclonedx --quiet --format json --target all --override-filename "olmap-$version.cdx"
mv "olmap-$version.cdx.json" "$out/"
# It writes one for each crate of the workspace; that of the program has the others.
rm -f {crates/*,fuzz}/"olmap-$version.cdx.json"
sums="olmap-$version-SHA256SUMS"
(
    cd "$out"
    rm -f "$sums"
    # Under another name first, so that it is none of its own lines.
    sha256sum -- * >"../$sums"
    mv "../$sums" .
)
cat "$out/$sums"
