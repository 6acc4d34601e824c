#!/usr/bin/env bash
# Makes the Debian and the RPM package of a target's program: packaging/packages.sh TARGET
# It needs cargo-deb and cargo-generate-rpm. What goes where is said in Cargo.toml.
source "$(dirname "$0")/common.sh"
target="${1:?packaging/packages.sh TARGET}"
program="$(program "$target")"
mkdir -p "$out"
# Where Cargo.toml looks for them, whatever the target.
stage=target/stage
mkdir -p "$stage"
cp "$program" "$stage/olmap"
packaging/licences.sh "$target" >"$stage/THIRD-PARTY-LICENSES.txt"
packaging/stage.sh "$program" "$stage"
cp CHANGELOG.md "$stage/changelog"
gzip -9nf "$stage"/man/*.1
cargo deb --no-build --no-strip --target "$target" --output "$out/"
cargo generate-rpm --target "$target" --output "$out/"
