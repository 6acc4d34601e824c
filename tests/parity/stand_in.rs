//! Scripts that imitate opm with olmap. They test the comparison if opm is not installed, and say
//! nothing about opm itself.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::programs::shell_quote;

/// Script that answers the command lines of opm with answers of olmap.
const HONEST: &str = r#"#!/bin/sh
# $rows KEY... prints the values of the keys of each object of a JSON array, in columns below the keys.
rows() {
    awk -v keys="$*" '
        BEGIN { n = split(keys, key, " "); for (i = 1; i <= n; i++) width[i] = length(head(key[i])) }
        function head(k) { k = toupper(k); sub(/DEFAULTCHANNEL/, "DEFAULT CHANNEL", k); return k }
        function value(text) { sub(/^[^:]*: "/, "", text); sub(/",?$/, "", text); return text }
        /^  \{/ { row++; delete channels; m = 0 }
        /"channels": \[/ { inside = 1; next }
        inside && /\]/ { inside = 0; next }
        inside { text = $0; gsub(/^ *"|",?$/, "", text); channels[++m] = text; next }
        /^    "[a-zA-Z]*": "/ { split($1, name, "\""); cell[name[2]] = value($0) }
        /^  \}/ { if (m == 0) put(""); for (c = 1; c <= m; c++) put(channels[c]); delete cell }
        function put(channel,    i) {
            lines++
            for (i = 1; i <= n; i++) {
                text = key[i] == "channel" && channel != "" ? channel : cell[key[i]]
                table[lines, i] = text
                if (length(text) > width[i]) width[i] = length(text)
            }
        }
        END {
            for (i = 1; i <= n; i++) printf "%-*s  ", width[i], head(key[i]); print ""
            for (l = 1; l <= lines; l++) { for (i = 1; i <= n; i++) printf "%-*s  ", width[i], table[l, i]; print "" }
        }' | sed 's/^PACKAGE\( *\)DEFAULT CHANNEL/NAME   \1DEFAULT CHANNEL/'
}
case "$1 $2 $3" in
'version '*) echo 'Version: version.Version{OpmVersion:"VERSION", GitCommit:"", BuildDate:"", GoOs:"linux", GoArch:"amd64"}' ;;
'validate '*)
    found=$("$olmap" validate --parity --format json "$2") && exit 0
    tree=$(printf "%s\n" "$found" | sed -n 's/^    "package": "\(.*\)",*$/\\n├── invalid package \\"\1\\":/p' | sort -u | tr -d '\n')
    printf '%s\n' "level=fatal msg=\"invalid index:$tree\"" >&2
    exit 1 ;;
'render '* | 'init '* | 'generate dockerfile '*) exec "$olmap" "$@" ;;
'alpha render-template '*)
    # opm pulls the images that the template names; olmap wants a catalog that has their bundles.
    shift 2
    made=$(mktemp -d) || exit 3
    for word do
        shift
        [ "$word" = --use-http ] || set -- "$@" "$word"
        [ -f "$word" ] && grep -o '127[.]0[.]0[.]1:[0-9]*/[a-z/.0-9:]*[0-9]' "$word" >>"$made/images"
    done
    if [ -s "$made/images" ]; then
        "$olmap" render --use-http $(sort -u "$made/images") >"$made/bundles.yaml" || exit 1
        set -- "$@" --bundles "$made/bundles.yaml"
    fi
    "$olmap" template render "$@"
    code=$?
    rm -r "$made"
    exit $code ;;
'alpha convert-template '*) shift 2; exec "$olmap" template convert "$@" ;;
'alpha bundle generate') shift 3; exec "$olmap" generate bundle "$@" ;;
'alpha list packages') "$olmap" list packages "$4" --format json | rows package defaultChannel ;;
'alpha list channels') "$olmap" list channels "$4" --format json | rows package channel head ;;
'alpha list bundles') "$olmap" list bundles "$4" --format json | rows package channel bundle image ;;
'alpha render-graph '*)
    made=$(mktemp -d) || exit 3
    "$olmap" render "$3" >"$made/catalog.yaml" &&
        "$olmap" template convert substitutes "$made/catalog.yaml" >"$made/template.yaml" &&
        "$olmap" template render substitutes "$made/template.yaml" --format mermaid
    code=$?
    rm -r "$made"
    exit $code ;;
*) echo "Error: unknown command \"$*\" for \"opm\"" >&2; exit 1 ;;
esac
"#;

/// Script that changes the output of the honest one according to the pattern.
const LIAR: &str = r#"#!/bin/sh
case "$*" in
PATTERN)
    answer=$(mktemp) || exit 3
    "$honest" "$@" >"$answer" 2>"$answer.err"
    code=$?
    LIE
    cat "$answer.err" >&2
    rm "$answer" "$answer.err"
    exit $code ;;
*) exec "$honest" "$@" ;;
esac
"#;

/// Kind of a lie.
#[derive(Clone, Copy)]
pub enum Lie {
    /// Swaps acceptance and refusal.
    Verdict,
    /// Names another package.
    Package,
    /// Changes one letter of the output, or of the written Dockerfile.
    Letter,
    /// Does not know a flag, and reports this version.
    Lacks(&'static str),
}

/// Writes the honest script to a folder.
pub fn write_honest_script(folder: &Path, version: &str) -> PathBuf {
    let olmap = format!("olmap={}\n", shell_quote(env!("CARGO_BIN_EXE_olmap")));
    let text = HONEST.replace("VERSION", version).replacen('\n', &format!("\n{olmap}"), 1);
    write_script(&folder.join("opm"), &text)
}

/// Writes a script that lies if its arguments match a shell pattern.
pub fn write_lying_script(folder: &Path, pattern: &str, lie: Lie) -> PathBuf {
    let version = if let Lie::Lacks(version) = lie { version } else { "v1.73.0" };
    let honest =
        format!("honest={}\n", shell_quote(&write_honest_script(folder, version).display().to_string()));
    let change = "awk '!done && sub(/[a-z]/, \"X\") { done = 1 } { print }'";
    let lie = match lie {
        Lie::Verdict => "cat \"$answer\"; if [ $code = 0 ]; then code=1; else code=0; fi".to_owned(),
        Lie::Package => {
            "cat \"$answer\"; echo 'msg=\"invalid package \\\"elsewhere\\\"\"' >>\"$answer.err\"".to_owned()
        }
        Lie::Letter => format!(
            "{change} \"$answer\"; for f in granary.Dockerfile bundle.Dockerfile; do [ ! -f $f ] || {{ {change} $f >$f.new; mv $f.new $f; }}; done"
        ),
        Lie::Lacks(_) => "code=1; echo 'Error: unknown flag: --none' >\"$answer.err\"".to_owned(),
    };
    let text =
        LIAR.replace("PATTERN", pattern).replace("LIE", &lie).replacen('\n', &format!("\n{honest}"), 1);
    write_script(&folder.join("liar"), &text)
}

fn write_script(path: &Path, text: &str) -> PathBuf {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}
