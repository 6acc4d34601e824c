//! Text is data: regression tests for text that was interpreted. `hostile` tests all inputs.

use std::fs;

use serde_json::json;

use super::run::{command, olmap_with, run_with_input};

/// Returns a catalog with one package and two channels.
fn catalog_json(channel: &str, other: &str, words: &str) -> String {
    let documents = [
        json!({"schema": "olm.package", "name": "ship", "defaultChannel": channel}),
        json!({"schema": "olm.channel", "package": "ship", "name": channel, "entries": [{"name": "ship.v1.0.0"}]}),
        json!({"schema": "olm.channel", "package": "ship", "name": other, "entries": [{"name": "ship.v1.0.0"}]}),
        json!({"schema": "olm.bundle", "package": "ship", "name": "ship.v1.0.0", "image": "example.com/ship:1",
            "properties": [{"type": "olm.package", "value": {"packageName": "ship", "version": "1.0.0"}}]}),
        json!({"schema": "olm.deprecations", "package": "ship", "entries": [
            {"reference": {"schema": "olm.bundle", "name": "ship.v1.0.0"}, "message": words}]}),
    ];
    documents.map(|document| document.to_string()).concat()
}

/// D8: wrapping moved words to the start of a line, and GitHub interpreted `::` there as a command.
#[test]
fn wrapped_words_are_not_workflow_commands() {
    let words = "::error::a ::add-mask::b ".repeat(8) + "##[set-output name=c]d ##vso[task.x]e ##teamcity[f]";
    let text = catalog_json(&words, "fast", "Old.").replacen(&words, "slow", 1);
    let told = olmap_with(&text, &["validate", "-"]).exits(1).out;
    assert!(!told.lines().any(|line| line.trim_start().starts_with("::")), "{told}");
    assert!(
        told.lines().any(|line| line.trim_start().starts_with(": :error::a ::add-mask")),
        "readable: {told}"
    );
    assert!(
        told.contains("## [set-output name=c]d") && told.contains("##vso [task.x]e ##teamcity [f]"),
        "{told}"
    );
    assert!(!told.contains("##[") && !told.contains("##vso["), "{told}");
}

/// D8: in the documented workflow, this disabled all later annotations.
#[test]
fn messages_of_expect_do_not_stop_workflow_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("expectations.yaml");
    fs::write(&path, "- {package: 'nopkg ##[stop-commands]tok', expect: stays}\n").unwrap();
    let arguments = ["expect", path.to_str().unwrap(), "-", "--format", "github"];
    let run = olmap_with(&catalog_json("stable", "fast", "Old."), &arguments).exits(2);
    assert!(run.err.contains("nopkg ## [stop-commands]tok"), "{}", run.err);
    assert!(!run.err.contains("##["), "{}", run.err);
    assert!(run.out.starts_with("::error file=") && !run.out.contains("##["), "{}", run.out);
}

/// D8: JSON escapes commands without loss.
#[test]
fn json_has_no_command_and_loses_nothing() {
    let name = "stable ##[stop-commands]tok ##vso[task.x]y";
    let run = olmap_with(&catalog_json(name, "fast", "Old."), &["list", "channels", "-", "--format", "json"])
        .exits(0);
    assert!(!run.out.contains("##[") && !run.out.contains("##vso["), "{}", run.out);
    let names: Vec<_> = run.json().as_array().unwrap().iter().map(|row| row["channel"].clone()).collect();
    assert!(names.contains(&json!(name)), "{names:?}");
}

/// D9: headings were active Markdown, and DOT and Mermaid contained invisible characters.
#[test]
fn diagrams_have_no_active_text() {
    let channel =
        "chan @everyone GH-1 www.evil.example https://evil.example \u{202e}\u{2066}\u{200b}\u{e0041}\u{2028}";
    let text = catalog_json(channel, "fast", "Old.");
    let mermaid = olmap_with(&text, &["graph", "-", "--format", "mermaid"]).exits(0).out;
    let label = mermaid.lines().find(|line| line.contains("subgraph") && line.contains("chan ")).unwrap();
    assert!(label.contains("#64;everyone") && !label.contains('@'), "{label}");
    for format in ["mermaid", "dot", "svg"] {
        let out = olmap_with(&text, &["graph", "-", "--format", format]).exits(0).out;
        assert!(
            !out.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{e0041}', '\u{2028}']),
            "{format}: {out}"
        );
    }
}

/// D10: an argument, such as a file name, reached the terminal unescaped.
#[test]
fn control_characters_of_refused_arguments_are_replaced() {
    let refused = |arguments: &[&str]| run_with_input(command().args(arguments), b"").exits(2).err;
    let told = refused(&["validate", "--\u{1b}]0;PWN\u{7}"]);
    assert!(told.contains("'--\u{241b}]0;PWN\u{2407}'") && told.contains("Usage: olmap validate"), "{told}");
    let told = refused(&["validate", "--format", "\u{9b}31m\u{202e}"]);
    assert!(told.contains("<U+009B>31m<U+202E>") && told.contains("possible values: text"), "{told}");
    let told = refused(&["deprecations", "--as-of", "x\n::error::y"]);
    assert!(told.contains("x\u{240a}::error::y"), "{told}");
}

#[cfg(unix)]
#[test]
fn arguments_and_paths_that_are_not_utf8_are_shown() {
    use std::os::unix::ffi::OsStringExt as _;
    let raw = |bytes: &[u8]| std::ffi::OsString::from_vec(bytes.to_vec());
    for argument in [raw(b"--\xff\x1b]0;PWN\x07"), raw(b"no\xffwhere\x1b[31m")] {
        let run = run_with_input(command().arg("validate").arg(argument), b"").exits(2);
        assert!(run.err.contains('\u{241b}') && !run.err.contains('\u{1b}'), "{}", run.err);
    }
}

/// D11: two names looked alike.
#[test]
fn names_with_invisible_characters_are_distinguished_and_reported() {
    for hidden in [
        '\u{61c}',
        '\u{ad}',
        '\u{34f}',
        '\u{115f}',
        '\u{180e}',
        '\u{2800}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{e0101}',
    ] {
        let text = catalog_json("stable", &format!("stable{hidden}"), "Old.");
        let shown = format!("stable<U+{:04X}>", u32::from(hidden));
        let listed = olmap_with(&text, &["list", "channels", "-"]).exits(0).out;
        assert!(listed.contains(&shown) && !listed.contains(hidden), "{listed}");
        let found = olmap_with(&text, &["validate", "-", "--format", "json"]).exits(0);
        let rules: Vec<_> = found.json().as_array().unwrap().iter().map(|row| row["rule"].clone()).collect();
        assert!(
            rules.contains(&json!("invisible-in-name")) && rules.contains(&json!("look-alike-names")),
            "{rules:?}"
        );
    }
    let parity = olmap_with(&catalog_json("stable", "stable\u{ad}", "Old."), &["validate", "-", "--parity"]);
    assert_eq!(parity.code, 0, "opm accepts such names: {}", parity.out);
}
