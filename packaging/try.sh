#!/usr/bin/env bash
# Tries a built program as whoever downloads it would: packaging/try.sh TARGET
source "$(dirname "$0")/common.sh"
target="${1:?packaging/try.sh TARGET}"
program="$(program "$target")"
case "$target" in
*-linux-*)
    # With ld.so gone, nothing but a static program starts.
    needed="$(LC_ALL=C readelf --dynamic "$program" | grep NEEDED || true)"
    [ -z "$needed" ] || fail "$program is not static: $needed"
    ;;
esac
shown="$("$program" --version)"
[ "$shown" = "olmap $version" ] || fail "$program says $shown, and Cargo.toml $version"
"$program" list packages demo/catalog | grep granary-operator >/dev/null || fail "$program does not read demo/catalog"
"$program" validate demo/catalog >/dev/null || [ $? = 1 ] || fail "$program cannot check demo/catalog"
echo "$program works"
