#!/usr/bin/env bash
# Builds the program for a target as it is handed out: packaging/build.sh TARGET
# It is one file that needs no other where the system lets it be: on Linux and Windows its C library is linked in.
source "$(dirname "$0")/common.sh"
target="${1:?packaging/build.sh TARGET}"
case "$target" in
# musl is linked in by itself.
*-linux-gnu | *-windows-msvc) export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" ;;
esac
cargo build --locked --profile dist --bin olmap --target "$target"
program "$target"
