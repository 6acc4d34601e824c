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
cp CHANGELOG.md "$stage/upstream-changelog"
gzip -9nf "$stage"/man/*.1 "$stage/upstream-changelog"
# Both packages carry the date of the commit, so that the same source makes the same files.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
# What Debian's tools read as the history of the package itself.
maintainer="$(sed -n 's/^maintainer = "\(.*\)"$/\1/p' Cargo.toml)"
when="$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")"
printf 'olmap (%s-1) unstable; urgency=medium\n\n  * What changed for users is in changelog.gz.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$when" >"$stage/changelog"
cargo deb --no-build --no-strip --target "$target" --output "$out/"
cargo generate-rpm --target "$target" --output "$out/"
