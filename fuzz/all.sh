#!/usr/bin/env bash
# Runs fuzz targets one after the other, each for some seconds, and prints a row of docs/fuzzing.md for each: inputs, seconds of the
# clock and of a processor, how busy the machine was, what was found. Exit code 1 if anything was found.
#
#   fuzz/all.sh SECONDS [TARGET]...      # all targets where none is named
#
# What a run finds out stays in fuzz/corpus, and the next one begins there. A crash is in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")"

seconds="${1:?fuzz/all.sh SECONDS [TARGET]...}"
shift
if [ $# = 0 ]; then
    mapfile -t all < <(sed -n '/^\[\[bin\]\]/{n;s/^name = "\(.*\)"$/\1/p;}' Cargo.toml)
    set -- "${all[@]}"
fi
metadata="$(cargo metadata --no-deps --format-version 1)"
programs="$(sed 's/.*"target_directory":"\([^"]*\)".*/\1/' <<<"$metadata")/$(rustc -vV | sed -n 's/^host: //p')/release"
found=0
echo "| target | inputs | s | s of a processor | load | found |"
echo "|---|---|---|---|---|---|"
for target; do
    [ -x "$programs/$target" ] || { echo "build it first: cargo fuzz build $target --sanitizer none" >&2; exit 2; }
    mkdir -p "corpus/$target" "artifacts/$target"
    folders=("corpus/$target")
    [ -d "seeds/$target" ] && folders+=("seeds/$target")
    # What costs more in proportion is told of short inputs as well as of long ones.
    options=(-max_len=8192)
    [ "$target" = cost ] && options=(-max_len=9)
    log="artifacts/$target.log"
    TIMEFORMAT='%R %U'
    times="$({ time "$programs/$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="artifacts/$target/" "${options[@]}" "${folders[@]}" >"$log" 2>&1 || true; } 2>&1)"
    read -r wall processor <<<"$times"
    inputs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    read -r _ load _ </proc/loadavg || load=unknown
    # An input that is merely slow is no finding: one that is too slow is a timeout.
    crashes="$(find "artifacts/$target" -type f ! -name 'slow-unit-*' | wc -l)"
    [ "$crashes" = 0 ] || found=1
    # shellcheck disable=SC2016
    printf '| `%s` | %s | %.0f | %.0f | %s | %s |\n' "$target" "${inputs:-?}" "$wall" "$processor" "$load" "$crashes"
done
exit "$found"
