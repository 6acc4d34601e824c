//! `olmap diff`: comparison of a changed demo with its committed state.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    git,
    run::{Run, olmap, olmap_in, root},
};

/// Commits the demo to a new repository.
fn demo_repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&root().join("demo/catalog"), &folder.path().join("catalog"));
    git::init(folder.path());
    commit_all(folder.path());
    folder
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn commit_all(root: &Path) {
    git::commit_on("2025-01-01", root);
}

fn edit_catalog(folder: &TempDir, arguments: &[&str]) {
    olmap_in(folder.path(), &[&["edit"], arguments, &["catalog"]].concat()).exits(0);
}

fn replace_in_file(folder: &TempDir, file: &str, from: &str, to: &str) {
    let path = folder.path().join("catalog").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn run_diff(folder: &TempDir, arguments: &[&str]) -> Run {
    olmap_in(folder.path(), &[&["diff"], arguments, &["git:HEAD", "catalog"]].concat())
}

/// Returns a repository with uncommitted changes: a fixed dead end, a promoted head, a removed
/// entry that others need, a changed bundle, another default channel, a deprecation, and a removed
/// package.
pub fn repository_with_release() -> TempDir {
    let folder = demo_repository();
    let granary = ["--package", "granary-operator"];
    edit_catalog(&folder, &[&["fix", "--rule", "dead-end"], granary.as_slice()].concat());
    edit_catalog(
        &folder,
        &["promote", "tidewater-operator.v2.4.1", "--channel", "stable-2.3", "--edges", "replaces"],
    );
    edit_catalog(&folder, &["remove-entry", "tidewater-operator.v2.2.1", "--channel", "stable-2.2"]);
    edit_catalog(&folder, &["default-channel", "stable", "--package", "kotatsu-operator"]);
    edit_catalog(
        &folder,
        &["deprecate", "--package", "folio-operator", "--bundle", "1.0.0-1", "--message", "1.0.0 has ended."],
    );
    replace_in_file(
        &folder,
        "tidewater-operator/catalog.yaml",
        "    displayName: Tidewater",
        "    displayName: Tide water",
    );
    fs::remove_dir_all(folder.path().join("catalog/tinsel-operator")).unwrap();
    folder
}

#[test]
fn release_as_text() {
    let folder = repository_with_release();
    insta::assert_snapshot!(run_diff(&folder, &[]).exits(0).out);
}

#[test]
fn release_as_markdown() {
    let folder = repository_with_release();
    let run = run_diff(&folder, &["--format", "markdown", "--fail-on", "all"]).exits(1);
    insta::assert_snapshot!(run.out);
    assert_eq!(run.out.matches("<details>").count(), run.out.matches("</details>").count());
    assert_eq!(run.out.matches("```").count() % 2, 0);
}

#[test]
fn release_as_json() {
    let folder = repository_with_release();
    let all = run_diff(&folder, &["--format", "json"]).exits(0).json();
    let names: Vec<&str> =
        all["packages"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["folio-operator", "granary-operator", "kotatsu-operator", "tidewater-operator", "tinsel-operator"]
    );
    assert_eq!(all["users"]["orphaned"], json!(4));
    assert_eq!(all["packages"][4]["fate"], "removed");
    let run = run_diff(
        &folder,
        &["--format", "json", "--package", "kotatsu-operator", "--package", "folio-operator"],
    );
    insta::assert_snapshot!(run.exits(0).out);
}

#[test]
fn each_gate_fails_on_its_change() {
    let folder = repository_with_release();
    let fails = |gates: &str, arguments: &[&str]| -> Vec<String> {
        let arguments = [&["--format", "json", "--fail-on", gates], arguments].concat();
        let run = run_diff(&folder, &arguments);
        let violations = run.json()["violations"].as_array().unwrap().clone();
        assert_eq!(run.code, i32::from(!violations.is_empty()), "{gates}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        violations.iter().map(|v| format!("{}: {}", text(&v["package"]), text(&v["what"]))).collect()
    };
    let kotatsu = ["--package", "kotatsu-operator"];
    let tidewater = ["--package", "tidewater-operator"];
    assert_eq!(fails("default-channel", &[]), ["kotatsu-operator: fast => stable"]);
    let entries = fails("removed-entries", &tidewater);
    assert_eq!(entries, ["tidewater-operator: tidewater-operator.v2.2.1 from channel stable-2.2"]);
    assert!(fails("removed-entries", &["--package", "tidewater-operator", "--except", "stable*"]).is_empty());
    assert_eq!(fails("changed-bundles", &tidewater).len(), 1);
    assert!(!fails("new-errors", &tidewater).is_empty(), "the channel has two heads");
    assert!(fails("new-errors,removed-entries,new-stuck,changed-bundles", &kotatsu).is_empty());
    assert_eq!(
        fails("downgrades", &kotatsu),
        ["kotatsu-operator: fresh install under classic without a channel: kotatsu-operator.v1.2.0 => \
             kotatsu-operator.v1.1.0"]
    );
    let broken = fails("broken-dependencies", &kotatsu);
    assert!(broken.len() == 1 && broken[0].contains("cannot install anything from fast"), "{broken:?}");
    assert_eq!(fails("all", &kotatsu).len(), 3);
    let gone = fails("new-dead-ends", &["--package", "tinsel-operator"]);
    assert_eq!(gone.len(), 8, "four versions, under both: {gone:?}");
    assert!(fails("new-dead-ends", &["--package", "granary-operator"]).is_empty());
}

#[test]
fn candidate_channels_may_lose_entries() {
    let folder = demo_repository();
    edit_catalog(&folder, &["remove-entry", "orrery-operator.v4.7.2", "--channel", "candidate"]);
    run_diff(&folder, &["--fail-on", "removed-entries"]).exits(0);
    run_diff(&folder, &["--fail-on", "removed-entries", "--except", "no-such"]).exits(1);
}

#[test]
fn formatting_differences_are_reported_only_on_request() {
    let folder = demo_repository();
    assert!(run_diff(&folder, &["--fail-on", "all"]).exits(0).out.ends_with("no difference in meaning.\n"));
    let path = folder.path().join("catalog/ballast-operator/catalog.yaml");
    let text = format!("# A comment.\n{}", fs::read_to_string(&path).unwrap());
    fs::write(&path, text).unwrap();
    let plain = run_diff(&folder, &[]).exits(0).out;
    assert!(plain.contains("no difference"), "{plain}");
    let run = run_diff(&folder, &["--formatting"]).exits(0);
    assert!(run.out.contains("only formatting differs: olm.package ballast-operator"), "{}", run.out);
}

#[test]
fn either_side_may_be_a_revision() {
    let folder = repository_with_release();
    commit_all(folder.path());
    let run = |arguments: &[&str]| olmap_in(folder.path(), &[&["diff"], arguments].concat());
    let expected = run(&["git:HEAD~1", "catalog"]).exits(0).out;
    let without_first_line = |text: &str| text.split_once("\n\n").unwrap().1.to_owned();
    for sides in [["git:HEAD~1:catalog", "git:main"], ["git:HEAD~1", "git:main:./catalog"]] {
        let run = run(&sides).exits(0);
        assert_eq!(without_first_line(&run.out), without_first_line(&expected), "{sides:?}");
    }
    let back = run(&["catalog", "git:HEAD~1"]).exits(0);
    assert!(back.out.contains("tinsel-operator  added"), "{}", back.out);
}

#[test]
fn refuses_incomparable_sides_with_a_reason() {
    let folder = demo_repository();
    let run = |arguments: &[&str]| olmap_in(folder.path(), &[&["diff"], arguments].concat()).exits(2).err;
    assert_eq!(
        run(&["git:nowhere", "catalog"]),
        "olmap: git has no revision nowhere\nhint: use a branch, a tag, a commit or HEAD~1; see git log\n"
    );
    assert!(
        run(&["git:main:catalogs", "catalog"])
            .starts_with("olmap: catalogs does not exist at git:main:catalogs\nhint:")
    );
    assert!(run(&["-", "-"]).contains("standard input can be read only once"));
    assert!(run(&["git:main", "-"]).contains("git:REV:PATH"));
    assert!(run(&["catalog", "catalog", "--package", "ship"]).contains("no package ship"));
    assert!(run(&["catalog", "catalog", "--except", "["]).contains("not a pattern"));
    let nowhere = tempfile::tempdir().unwrap();
    let path = nowhere.path().join("catalog.yaml");
    fs::write(&path, "schema: olm.package\nname: p\n").unwrap();
    let err = olmap(&["diff", "git:main", path.to_str().unwrap()]).exits(2).err;
    assert!(err.contains("is not in a git repository") && err.contains("hint:"), "{err}");
}

/// Returns a catalog with two channels that have the same entries.
fn twin_channels(entries: &str) -> String {
    let channel =
        |name: &str| format!("---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n{entries}");
    let bundle = |version: &str| {
        format!(
            "---\n{{schema: olm.bundle, package: p, name: p.v{version}, image: 'example.com/p:{version}', \
             properties: [{{type: olm.package, value: {{packageName: p, version: {version}}}}}]}}\n"
        )
    };
    let bundles = ["1.0.0", "1.1.0", "1.2.0"].map(bundle).concat();
    format!("schema: olm.package\nname: p\ndefaultChannel: a\n{}{}{bundles}", channel("a"), channel("b"))
}

/// Returns the Markdown comment about two catalogs.
fn diff_comment(old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["old.yaml", "new.yaml"].map(|name| folder.path().join(name));
    fs::write(&from, old).unwrap();
    fs::write(&to, new).unwrap();
    let run = olmap_in(folder.path(), &["diff", "--format", "markdown", "old.yaml", "new.yaml"]);
    run.exits(0).out
}

#[test]
fn channels_with_the_same_changes_share_a_drawing() {
    let before = "- name: p.v1.0.0\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n";
    let after = format!("{before}- {{name: p.v1.2.0, replaces: p.v1.1.0}}\n");
    let told = diff_comment(&twin_channels(before), &twin_channels(&after));
    assert_eq!(told.matches("```diff").count(), 1, "{told}");
    assert!(told.contains("Upgrade graph of channels a, b:"), "{told}");
    assert!(told.starts_with("**No upgrade path gets worse:**"), "{told}");
}

#[test]
fn headline_has_blocking_deprecations_and_affected_users() {
    let entries = "- name: p.v1.0.0\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n";
    let after = format!("{entries}- {{name: p.v1.2.0, replaces: p.v1.1.0}}\n");
    let deprecated = |names: &[&str]| {
        let entry =
            |name: &&str| format!("- {{reference: {{schema: olm.bundle, name: {name}}}, message: Old.}}\n");
        let entries: String = names.iter().map(entry).collect();
        format!("---\nschema: olm.deprecations\npackage: p\nentries:\n{entries}")
    };
    let old = twin_channels(entries) + &deprecated(&["p.v1.0.0"]);
    let new = twin_channels(&after) + &deprecated(&["p.v1.0.0", "p.v1.1.0", "p.v1.2.0"]);
    let told = diff_comment(&old, &new);
    let first = told.lines().next().unwrap_or_default();
    assert!(first.contains("3 deprecated versions lose their upgrade path to a supported bundle"), "{told}");
    assert!(
        first.contains("Installed versions: 0 more stuck, ")
            && first.contains("Besides: ")
            && first.contains("3 fresh installs get another version"),
        "{told}"
    );
    assert!(told.contains("- p, deprecation: "), "{told}");
}
