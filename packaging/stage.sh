#!/usr/bin/env bash
# Makes what is handed out beside the program, from the program: packaging/stage.sh PROGRAM FOLDER
# FOLDER gets man/ (a page for each command) and completions/ (for each shell).
set -euo pipefail
program="${1:?packaging/stage.sh PROGRAM FOLDER}"
folder="${2:?packaging/stage.sh PROGRAM FOLDER}"
# Nothing of whoever makes a release gets into it.
export OLMAP_CONFIG=none
rm -rf "$folder/man" "$folder/completions"
mkdir -p "$folder/man" "$folder/completions"
"$program" man --dir "$folder/man"
"$program" completions bash >"$folder/completions/olmap.bash"
"$program" completions zsh >"$folder/completions/_olmap"
"$program" completions fish >"$folder/completions/olmap.fish"
"$program" completions powershell >"$folder/completions/_olmap.ps1"
# kubectl calls it from the path. Its mode is that of a program.
"$program" completions kubectl >"$folder/completions/kubectl_complete-olmap"
chmod 755 "$folder/completions/kubectl_complete-olmap"
