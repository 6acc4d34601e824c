#!/usr/bin/env bash
# Measures a vendor's index: unpacks an archive of one directory (by default the one of the conformance data), renders it
# as YAML too, and has `cargo bench --bench open` measure both. Needs tar, xz and about 400 MB in $TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
archive=${1:-../shared/conformance/scale.tar.xz}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xJf "$archive" -C "$folder"
catalog=$(find "$folder" -mindepth 1 -maxdepth 1 -type d)
cargo run --quiet --release -- render --format yaml "$catalog" >"$folder/index.yaml"
OLMAP_BENCH_PATH="$catalog:$folder/index.yaml" cargo bench --bench open
