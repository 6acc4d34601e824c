#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version, for the notes of its release: packaging/notes.sh VERSION [FILE]
source "$(dirname "$0")/common.sh"
wanted="${1:?packaging/notes.sh VERSION [FILE]}"
file="${2:-CHANGELOG.md}"
# A tag that was set on the wrong commit is found here.
[ -n "${2:-}" ] || [ "$wanted" = "$version" ] || fail "notes of $wanted are wanted, but Cargo.toml says $version"
notes="$(awk -v heading="## [$wanted]" '
    /^## / { here = index($0, heading) == 1; next }
    /^\[[^]]*\]: / { next }
    here
' "$file")"
# Blank lines around it are the changelog's, not the notes'.
notes="$(sed -e '/./,$!d' <<<"$notes")"
[ -n "$notes" ] || fail "$file says nothing of $wanted: it needs a heading \"## [$wanted] - DATE\" with something below it"
printf '%s\n' "$notes"
