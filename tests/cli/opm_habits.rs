//! Options and commands that users of opm expect.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::run::{fixture, olmap, olmap_in};

#[test]
fn output_format_has_a_short_option() {
    let anvil = fixture("anvil");
    for command in [&["list", "packages"][..], &["validate"], &["successors"]] {
        let short = olmap(&[command, &["-o", "json", &anvil]].concat());
        let long = olmap(&[command, &["--format", "json", &anvil]].concat());
        assert_eq!((short.code, &short.out), (long.code, &long.out), "{command:?}");
        assert!(short.out.starts_with('['), "{command:?} {}", short.err);
    }
    let yaml = olmap(&["render", "-o", "yaml", &anvil]).exits(0);
    assert!(yaml.out.starts_with("---\n"), "{}", yaml.out);
    let json = olmap(&["render", "-ojson", &anvil]).exits(0);
    assert!(json.out.starts_with("{\n"), "{}", json.out);
}

/// Returns a directory with a catalog `cat`.
fn folder_with_catalog() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cat")).unwrap();
    fs::copy(Path::new(&fixture("anvil")).join("catalog.yaml"), folder.path().join("cat/catalog.yaml"))
        .unwrap();
    folder
}

#[test]
fn output_option_of_writing_commands_selects_the_format() {
    let folder = folder_with_catalog();
    for words in [
        &["edit", "describe", "x", "cat", "-n", "-o", "json"][..],
        &["edit", "describe", "x", "cat", "-n", "--output", "json"],
        &["edit", "describe", "x", "cat", "-n", "--format", "json"],
        &["extract", "anvil", "cat", "-n", "-o", "json"],
        &["extract", "anvil", "cat", "-n", "--format", "json"],
        &["image", "build", "cat", "-t", "example.com/x:v1", "--to", "oci:image", "-o", "json"],
    ] {
        let run = olmap_in(folder.path(), words).exits(0);
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert!(json.is_array() || json.is_object());
        assert!(!run.err.contains("warning"), "{}", run.err);
    }
    let html = olmap_in(folder.path(), &["edit", "describe", "x", "cat", "-o", "html"]).exits(2);
    assert!(html.err.contains("[possible values: text, diff, json, yaml]"), "{}", html.err);
    assert!(!folder.path().join("html").exists() && !folder.path().join("json").exists());
}

#[test]
fn output_option_with_a_path_writes_there_and_warns() {
    let folder = folder_with_catalog();
    for (words, path) in [
        (&["edit", "describe", "x", "cat", "-o", "copy"][..], "copy"),
        (&["edit", "describe", "x", "cat", "--output", "copy2", "--format", "json"], "copy2"),
        (&["extract", "anvil", "cat", "-o", "mine"], "mine"),
        (&["report", "cat", "-o", "page.html"], "page.html"),
        (&["image", "build", "cat", "-t", "example.com/x:v1", "-o", "oci:image"], "image"),
    ] {
        let run = olmap_in(folder.path(), words).exits(0);
        assert!(
            run.err.contains("is not a format, so it is taken as the path to write\nhint: use --to "),
            "{}",
            run.err
        );
        assert!(folder.path().join(path).exists(), "{words:?}");
    }
    for words in [
        &["edit", "describe", "x", "cat", "-o", "a", "--to", "b"][..],
        &["extract", "anvil", "cat", "-o", "a", "--to", "b"],
        &["report", "cat", "-o", "a", "--to", "b"],
        &["image", "build", "cat", "-t", "example.com/x:v1", "-o", "oci:a", "--to", "oci:b"],
    ] {
        let run = olmap_in(folder.path(), words).exits(2);
        assert!(run.err.contains("--to names the place already"), "{}", run.err);
        assert!(!folder.path().join("a").exists() && !folder.path().join("b").exists());
    }
}

#[test]
fn short_options_mean_the_same_as_long_ones() {
    let anvil = fixture("anvil");
    for (short, long) in [
        (
            &["list", "channels", "-p", "anvil", "-c", "stable"][..],
            &["list", "channels", "--package", "anvil", "--channel", "stable"][..],
        ),
        (&["list", "channel"], &["list", "channels"]),
        (&["list", "package"], &["list", "packages"]),
        (&["list", "bundle"], &["list", "bundles"]),
        (&["list", "image"], &["list", "images"]),
        (&["list", "catalog"], &["list", "catalogs"]),
        (&["graph", "-p", "anvil", "-o", "json"], &["graph", "--package", "anvil", "--format", "json"]),
        (&["validate", "-o", "json"], &["validate", "--output", "json"]),
    ] {
        let run = |words: &[&str]| olmap(&[words, &[&anvil]].concat()).exits(0).out;
        assert_eq!(run(short), run(long), "{short:?}");
        assert!(!run(short).is_empty(), "{short:?}");
    }
}

#[test]
fn opm_command_gets_a_hint_with_the_equivalent() {
    let answers = [
        "alpha list channels my-catalog ship",
        "alpha list bundles",
        "alpha diff a b",
        "alpha render-graph a",
        "alpha render-template basic a.yaml",
        "alpha bundle validate dir",
        "alpha bundle build",
        "alpha generate dockerfile dir",
        "index add --bundles x",
        "index prune -p ship",
        "migrate image:v1 out",
        "version",
        "completion bash",
    ]
    .map(|line| olmap(&line.split(' ').collect::<Vec<_>>()).exits(2).err);
    insta::assert_snapshot!(answers.concat(), @r"
    olmap: alpha list is an opm command, not an olmap command
    hint: olmap list channels my-catalog -p ship
    olmap: alpha list is an opm command, not an olmap command
    hint: olmap list bundles
    olmap: alpha diff is an opm command, not an olmap command
    hint: olmap diff OLD NEW
    olmap: alpha render-graph is an opm command, not an olmap command
    hint: olmap graph -o mermaid PATH
    olmap: alpha render-template is an opm command, not an olmap command
    hint: olmap template render, with the bundles of a catalog in place of images; olmap template convert
    olmap: alpha bundle is an opm command, not an olmap command
    hint: olmap bundle validate DIR|IMAGE
    olmap: alpha bundle is an opm command, not an olmap command
    hint: olmap image build --tag NAME DIR builds the image of a bundle directory
    olmap: alpha generate is an opm command, not an olmap command
    hint: olmap generate dockerfile DIR
    olmap: index is an opm command, not an olmap command
    hint: olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image
    olmap: index is an opm command, not an olmap command
    hint: olmap extract PACKAGE... CATALOG --to DIR takes a part of a catalog; olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image
    olmap: migrate is an opm command, not an olmap command
    hint: olmap render turns an index into a catalog in YAML: olmap render INDEX.db -o yaml
    olmap: version is an opm command, not an olmap command
    hint: olmap --version
    olmap: completion is an opm command, not an olmap command
    hint: olmap completions bash
    ");
}

#[cfg(unix)]
#[test]
fn kubectl_plugin_uses_its_command_name_in_messages() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("kubectl-olmap");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_olmap"), &plugin).unwrap();
    let said = |arguments: &[&str]| {
        let output = std::process::Command::new(&plugin).args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert!(
        said(&["--help"])
            .contains("Usage: kubectl olmap [OPTIONS] [PATH]...\n       kubectl olmap [OPTIONS] COMMAND")
    );
    assert!(said(&["validate", "--help"]).contains("Usage: kubectl olmap validate [OPTIONS]"));
    assert!(said(&["validate", "--none-such"]).contains("Usage: kubectl olmap validate"));
    assert!(!said(&["--help"]).contains("Usage: olmap"));
}

#[test]
fn misspelled_command_gets_a_suggestion_also_before_its_options() {
    for (line, meant) in [
        ("valdate x", "validate"),
        ("valdate --deny warnings x", "validate"),
        ("grph x -p y", "graph"),
        ("sucessors --installed 1.0.0", "successors"),
        ("--demo", "olmap demo"),
        ("--validate x", "olmap validate"),
    ] {
        let run = olmap(&line.split(' ').collect::<Vec<_>>()).exits(2);
        assert!(run.err.contains(&format!("did you mean {meant}?")), "{line}: {}", run.err);
    }
    let unknown = olmap(&["demo/catalog", "--no-such-option"]).exits(2);
    assert!(unknown.err.contains("unexpected argument '--no-such-option'"), "{}", unknown.err);
    let short = olmap(&["ls", "packages", &fixture("anvil")]).exits(0);
    assert_eq!(short.out, olmap(&["list", "packages", &fixture("anvil")]).exits(0).out);
}
