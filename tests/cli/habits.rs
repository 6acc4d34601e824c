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
    olmap: -o json: with edit, -o is where to write
    hint: a format is --format json, a file of that name -o ./json
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
        "init ship",
        "serve cat",
        "version",
        "completion bash",
    ]
    .map(|line| olmap(&line.split(' ').collect::<Vec<_>>()).exits(2).err);
    insta::assert_snapshot!(answers.concat(), @r"
    olmap: alpha list is a command of opm, not of olmap
    hint: olmap list channels my-catalog --package ship
    olmap: alpha list is a command of opm, not of olmap
    hint: olmap list bundles
    olmap: alpha diff is a command of opm, not of olmap
    hint: olmap diff OLD NEW
    olmap: alpha render-graph is a command of opm, not of olmap
    hint: olmap graph --format mermaid PATH
    olmap: alpha render-template is a command of opm, not of olmap
    hint: only opm makes catalogs of templates, from images; olmap TEMPLATE shows and edits a basic one
    olmap: index is a command of opm, not of olmap
    hint: that is for SQLite indexes; to look into an index image: opm render IMAGE | olmap -
    olmap: migrate is a command of opm, not of olmap
    hint: opm migrate makes a catalog of an index image; olmap opens that catalog
    olmap: init is a command of opm, not of olmap
    hint: opm init makes the first olm.package; olmap edits a catalog that has one
    olmap: serve is a command of opm, not of olmap
    hint: nothing needs to be served: olmap PATH opens the catalog itself
    olmap: version is a command of opm, not of olmap
    hint: olmap --version
    olmap: completion is a command of opm, not of olmap
    hint: olmap completions bash
    ");
}
