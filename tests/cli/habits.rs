//! What people type who know opm.

use super::run::{fixture, olmap};

#[test]
fn a_format_has_a_short_name() {
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

#[test]
fn a_format_is_no_file_that_an_edit_writes() {
    let run = olmap(&["edit", "describe", "x", &fixture("anvil"), "-o", "json"]).exits(2);
    insta::assert_snapshot!(run.err, @r"
    olmap: -o json: with edit, -o is the output path
    hint: for the format use --format json, for a file of that name -o ./json
    ");
}

#[test]
fn a_command_of_opm_is_answered_with_ours() {
    let answers = [
        "alpha list channels my-catalog ship",
        "alpha list bundles",
        "alpha diff a b",
        "alpha render-graph a",
        "alpha render-template basic a.yaml",
        "index add --bundles x",
        "migrate image:v1 out",
        "version",
        "completion bash",
    ]
    .map(|line| olmap(&line.split(' ').collect::<Vec<_>>()).exits(2).err);
    insta::assert_snapshot!(answers.concat(), @r"
    olmap: alpha list is an opm command, not an olmap command
    hint: olmap list channels my-catalog --package ship
    olmap: alpha list is an opm command, not an olmap command
    hint: olmap list bundles
    olmap: alpha diff is an opm command, not an olmap command
    hint: olmap diff OLD NEW
    olmap: alpha render-graph is an opm command, not an olmap command
    hint: olmap graph --format mermaid PATH
    olmap: alpha render-template is an opm command, not an olmap command
    hint: olmap template render, with the bundles of a catalog in place of images; olmap template convert
    olmap: index is an opm command, not an olmap command
    hint: olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image
    olmap: migrate is an opm command, not an olmap command
    hint: opm migrate turns an index image into a catalog; olmap opens the catalog
    olmap: version is an opm command, not an olmap command
    hint: olmap --version
    olmap: completion is an opm command, not an olmap command
    hint: olmap completions bash
    ");
}

#[cfg(unix)]
#[test]
fn as_a_plugin_of_kubectl_it_is_named_as_one_types_it() {
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
